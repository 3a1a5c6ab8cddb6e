# tenfold_room(<name> FOLDER <folder> [TARGET <target>] [SUBFOLDERS <folder>...] [SEES <room>...]
#              [LINKS_PUBLIC <target>...] [LINKS_PRIVATE <target>...])
#
# One room of the house: all headers and sources of <folder> (and of the named folders in it) become
# the target tenfold_<name>, which sees the rooms after SEES, what those see, and nothing else.
#
#   headers     included as <tenfold/<folder>/x.hpp>, through build/include-roots/<name>, an include
#               root that holds this room alone. Each is also compiled alone
#               (target all_verify_interface_header_sets).
#   x.cpp       makes the target a library, static or as BUILD_SHARED_LIBS says; without any it is an
#               INTERFACE library.
#   x.isa.cpp   is compiled once for each instruction set of TENFOLD_ISAS (TenfoldInstructionSets.cmake).
#
# New files are found at the next build.

# Functions begin where lines of the cache do. At the compilers' 16 bytes the rate of a short loop is
# a matter of what the linker has put before it: in libtenfold_cblas complex products of order 2 to 4
# ran at 0.88 to 0.94 of the rate of the same object in a program (./dev bench cblas, Zen 4).
set(TENFOLD_FUNCTIONS -falign-functions=64)

function(tenfold_room name)
  cmake_parse_arguments(
    PARSE_ARGV 1 room "" "FOLDER;TARGET" "SUBFOLDERS;SEES;LINKS_PUBLIC;LINKS_PRIVATE")
  set(target "tenfold_${name}")
  if(room_TARGET)
    set(target "${room_TARGET}")
  endif()

  # An include root in which nothing but this room exists.
  set(root "${PROJECT_BINARY_DIR}/include-roots/${name}")
  cmake_path(GET room_FOLDER PARENT_PATH above)
  if(room_FOLDER STREQUAL "include/tenfold")
    file(MAKE_DIRECTORY "${root}")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/include/tenfold" "${root}/tenfold" SYMBOLIC)
    set(inside "${root}/tenfold")
  else()
    file(MAKE_DIRECTORY "${root}/tenfold/${above}")
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${room_FOLDER}" "${root}/tenfold/${room_FOLDER}"
         SYMBOLIC)
    set(inside "${root}/tenfold/${room_FOLDER}")
  endif()

  set(header_globs "${inside}/*.hpp")
  set(source_globs "${PROJECT_SOURCE_DIR}/${room_FOLDER}/*.cpp")
  foreach(folder IN LISTS room_SUBFOLDERS)
    list(APPEND header_globs "${inside}/${folder}/*.hpp")
    list(APPEND source_globs "${PROJECT_SOURCE_DIR}/${room_FOLDER}/${folder}/*.cpp")
  endforeach()
  file(GLOB headers CONFIGURE_DEPENDS ${header_globs})
  file(GLOB sources CONFIGURE_DEPENDS ${source_globs})
  set(isa_sources ${sources})
  list(FILTER isa_sources INCLUDE REGEX "\\.isa\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "\\.isa\\.cpp$")

  set(links ${room_LINKS_PUBLIC})
  foreach(seen IN LISTS room_SEES)
    list(APPEND links "tenfold_${seen}")
  endforeach()

  if(sources OR isa_sources)
    add_library(${target} ${sources})
    set(scope PUBLIC)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    target_compile_options(${target} PRIVATE ${TENFOLD_FUNCTIONS})
    target_link_libraries(${target} PRIVATE ${room_LINKS_PRIVATE})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${links})
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS "${root}" FILES ${headers})
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)

  foreach(isa IN LISTS TENFOLD_ISAS)
    if(isa_sources)
      add_library(${target}_${isa} OBJECT ${isa_sources})
      target_compile_options(${target}_${isa} PRIVATE ${TENFOLD_FUNCTIONS}
                                                      ${TENFOLD_ISA_FLAGS_${isa}})
      # Unoptimized, whatever is inline elsewhere would be a weak function, compiled for this set
      # and for all others under one name.
      target_compile_options(${target}_${isa}
                             PRIVATE "$<$<OR:$<CONFIG:Debug>,$<STREQUAL:$<CONFIG>,>>:-O2>")
      target_link_libraries(${target}_${isa} PRIVATE ${links})
      target_include_directories(${target}_${isa} PRIVATE "${root}")
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${isa}>)
      set_property(GLOBAL APPEND PROPERTY TENFOLD_ISA_OBJECTS_${isa} ${target}_${isa})
    endif()
  endforeach()

  # Outside names: tenfold::tensor, ..., and tenfold::tenfold.
  string(REGEX REPLACE "^tenfold_" "" outside "${target}")
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${outside})
  add_library(tenfold::${outside} ALIAS ${target})

  # For the structure test and the install rules.
  set_property(GLOBAL APPEND PROPERTY TENFOLD_ROOMS ${name})
  set_property(GLOBAL APPEND PROPERTY TENFOLD_ROOM_TARGETS ${target})
  set_property(GLOBAL PROPERTY TENFOLD_ROOM_FOLDER_${name} "${room_FOLDER}")
  set_property(GLOBAL PROPERTY TENFOLD_ROOM_SEES_${name} "${room_SEES}")
endfunction()
