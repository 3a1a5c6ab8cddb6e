# TENFOLD_ISAS: the instruction sets that the library carries, the least first; launch chooses among
# them at run time. What an x.isa.cpp defines lies in an inline namespace of that name, which simd.hpp
# takes from the flags, TENFOLD_ISA_FLAGS_<name>.
set(TENFOLD_INSTRUCTION_SETS
    all
    CACHE
      STRING
      "Kernels for sizes known at run time that the library carries: all, native (the best set of this CPU), or a list of sse2, avx2, avx512"
)
set(TENFOLD_ISA_FLAGS_sse2 "")
set(TENFOLD_ISA_FLAGS_neon64 "")
set(TENFOLD_ISA_FLAGS_avx2 -mavx2 -mfma)
set(TENFOLD_ISA_FLAGS_avx512 -mavx2 -mfma -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(TENFOLD_ALL_ISAS sse2 avx2 avx512)
else()
  set(TENFOLD_ALL_ISAS neon64)
endif()

# Whether this CPU has what the flags of an instruction set name.
function(tenfold_cpu_has isa result)
  set(questions 1)
  foreach(flag IN LISTS TENFOLD_ISA_FLAGS_${isa})
    string(REGEX REPLACE "^-m(.*)" "__builtin_cpu_supports(\"\\1\")" question "${flag}")
    list(APPEND questions "${question}")
  endforeach()
  list(JOIN questions " && " questions)
  include(CheckCXXSourceRuns)
  set(CMAKE_REQUIRED_QUIET ON)
  unset(TENFOLD_CPU_HAS_${isa} CACHE) # the directory may have come from another machine
  check_cxx_source_runs("int main() { return ${questions} ? 0 : 1; }" TENFOLD_CPU_HAS_${isa})
  set(${result} "${TENFOLD_CPU_HAS_${isa}}" PARENT_SCOPE)
endfunction()

if(TENFOLD_INSTRUCTION_SETS STREQUAL "all")
  set(TENFOLD_ISAS ${TENFOLD_ALL_ISAS})
elseif(TENFOLD_INSTRUCTION_SETS STREQUAL "native")
  if(CMAKE_CROSSCOMPILING)
    message(FATAL_ERROR "TENFOLD_INSTRUCTION_SETS=native is for the CPU that compiles, and this is "
                        "compiled for another one")
  endif()
  foreach(isa IN LISTS TENFOLD_ALL_ISAS)
    tenfold_cpu_has(${isa} has)
    if(has)
      set(TENFOLD_ISAS ${isa})
    endif()
  endforeach()
  set(TENFOLD_NATIVE ON) # what is built here calls those kernels
else()
  if(NOT TENFOLD_INSTRUCTION_SETS)
    message(FATAL_ERROR "TENFOLD_INSTRUCTION_SETS is empty: it is all, native or a list")
  endif()
  foreach(isa IN LISTS TENFOLD_INSTRUCTION_SETS)
    if(NOT isa IN_LIST TENFOLD_ALL_ISAS)
      list(JOIN TENFOLD_ALL_ISAS ", " names)
      message(FATAL_ERROR "TENFOLD_INSTRUCTION_SETS: '${isa}' is none of ${names}")
    endif()
  endforeach()
  set(TENFOLD_ISAS ${TENFOLD_ALL_ISAS})
  list(JOIN TENFOLD_INSTRUCTION_SETS "|" any)
  list(FILTER TENFOLD_ISAS INCLUDE REGEX "^(${any})$")
endif()
