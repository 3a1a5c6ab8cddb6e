# cmake -DNM=nm -DISA=avx2 -DOBJECTS="a.o;b.o" -P weak_symbols.cmake
#
# Inline functions and templates are weak symbols: of all copies in a program the linker keeps one.
# If it keeps the copy of an object that was compiled for AVX-512, a call from baseline code dies on
# an older CPU. So every weak function that such an object defines must be one that no other
# instruction set has, and its name must show it. Data (weak objects) holds no instructions; that
# what differs between the sets is not one in a program, tests/mixed_sets shows.
cmake_minimum_required(VERSION 3.25)

if(NOT OBJECTS)
  message(NOTICE "no objects are compiled for ${ISA} yet")
  return()
endif()

# What is in every name that no other instruction set has.
set(ours "tenfold::cpu::${ISA}::")

set(breaches 0)
foreach(object IN LISTS OBJECTS)
  execute_process(
    COMMAND "${NM}" --demangle --defined-only --format=posix "${object}"
    OUTPUT_VARIABLE symbols
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[][;]" "_" symbols "${symbols}") # what would confuse a CMake list
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    # posix format: name, type, value, size; W is a weak symbol that is not data.
    if(symbol MATCHES "^(.+) W [0-9a-f]+ [0-9a-f]*$")
      set(name "${CMAKE_MATCH_1}")
      if(NOT name MATCHES "${ours}")
        math(EXPR breaches "${breaches} + 1")
        message(NOTICE "${name}\n  in ${object}")
      endif()
    endif()
  endforeach()
endforeach()

if(breaches GREATER 0)
  message(NOTICE "${breaches} weak functions above belong to no instruction set, but are compiled "
                 "for ${ISA}: move them into tenfold::cpu::${ISA}, or make them always inline.")
  message(FATAL_ERROR "weak symbols without ${ISA} in their name")
endif()
