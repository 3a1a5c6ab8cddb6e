# tenfold_find_dependencies([REQUIRED]): the packages that Tenfold itself needs. The build and the
# installed tenfoldConfig.cmake both use it; the latter has its own way to fail.
#
# tenfold::xsimd is the headers of xsimd alone: the targets of Debian and Ubuntu also ask for xtl,
# for complex numbers of a kind that Tenfold does not use.
macro(tenfold_find_dependencies)
  find_package(xsimd ${ARGN})
  find_package(TBB ${ARGN})
  if(xsimd_FOUND AND NOT TARGET tenfold::xsimd)
    add_library(tenfold::xsimd INTERFACE IMPORTED GLOBAL)
    target_include_directories(
      tenfold::xsimd INTERFACE $<TARGET_PROPERTY:xsimd,INTERFACE_INCLUDE_DIRECTORIES>)
  endif()
endmacro()
