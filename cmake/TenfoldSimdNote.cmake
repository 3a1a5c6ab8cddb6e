# tenfold_simd_note(): one line when this CPU has wider SIMD than the compiler is told to use.
#
# Expressions of static sizes are compiled into the user's own files, with the user's own flags; only
# what is chosen at run time comes from the library, which carries code for the sets of TENFOLD_ISAS.
function(tenfold_simd_note)
  if(NOT CMAKE_CXX_COMPILER_LOADED
     OR CMAKE_CROSSCOMPILING
     OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    return()
  endif()
  get_directory_property(options COMPILE_OPTIONS)
  list(FILTER options INCLUDE REGEX "^-m")
  list(JOIN options " " options)
  set(CMAKE_REQUIRED_FLAGS "${options}")

  # The answer belongs to these flags: ask again when they change.
  set(asked "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_FLAGS} ${options}")
  if(NOT asked STREQUAL "${TENFOLD_SIMD_ASKED}")
    unset(TENFOLD_CPU_AS_COMPILED CACHE)
    set(TENFOLD_SIMD_ASKED "${asked}" CACHE INTERNAL "Flags of the last SIMD check")
  endif()
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_runs(
    "int main() {
       bool wider = false;
     #ifndef __AVX2__
       wider = wider || __builtin_cpu_supports(\"avx2\");
     #endif
     #ifndef __AVX512F__
       wider = wider || __builtin_cpu_supports(\"avx512f\");
     #endif
       return wider ? 1 : 0;
     }"
    TENFOLD_CPU_AS_COMPILED)
  if(NOT TENFOLD_CPU_AS_COMPILED)
    message(
      STATUS
        "tenfold: this CPU has wider SIMD than your flags use; expressions of static sizes are "
        "compiled with your flags, so add -march=native (or the like) to the targets that hold them")
  endif()
endfunction()
