# cmake -DCOMPILER=... -DINCLUDES=includes.txt -DHEADERS=headers.hpp -DFILE=x.cpp -P check.cmake
#
# Passes when FILE does not compile and the compiler says every expected text, compared as it stands:
#   // expect: <text>         for every compiler
#   // expect-gcc: <text>     for g++ only
#   // expect-clang: <text>   for clang++ only
#   // expect: compiles       the file must compile (alone in its file)
#   // errors: <n>            and there are n errors, no more
#   // includes: its own       without HEADERS, which all files have in common
cmake_minimum_required(VERSION 3.25)

include("${CMAKE_CURRENT_LIST_DIR}/flags.cmake")
file(STRINGS "${FILE}" lines REGEX "^// expect(-gcc|-clang)?: ")

file(STRINGS "${FILE}" own REGEX "^// includes: its own$")
set(common -include "${HEADERS}")
if(own)
  set(common)
endif()
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C "${COMPILER}" ${flags} -fsyntax-only ${common} "${FILE}"
  RESULT_VARIABLE status
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output)

if("// expect: compiles" IN_LIST lines)
  if(NOT status EQUAL 0)
    message(NOTICE "${output}")
    message(FATAL_ERROR "does not compile, but must")
  endif()
  return()
endif()
if(NOT lines)
  message(FATAL_ERROR "${FILE} has no line `// expect: <text>`")
endif()
if(status EQUAL 0)
  message(FATAL_ERROR "caught: it compiles, but must not")
endif()

file(STRINGS "${FILE}" counted REGEX "^// errors: [0-9]+$")
if(counted)
  string(REGEX MATCH "[0-9]+" expected "${counted}")
  string(REGEX MATCHALL ": (fatal )?error: " errors "${output}")
  list(LENGTH errors found)
  if(NOT found EQUAL expected)
    message(NOTICE "the compiler says:\n${output}")
    message(FATAL_ERROR "caught: ${found} errors instead of ${expected}")
  endif()
endif()
foreach(line IN LISTS lines)
  if(line MATCHES "^// expect(-${family})?: (.*)$")
    string(FIND "${output}" "${CMAKE_MATCH_2}" position)
    if(position EQUAL -1)
      message(NOTICE "expected: ${CMAKE_MATCH_2}\nthe compiler says:\n${output}")
      message(FATAL_ERROR "caught: the text is missing")
    endif()
  endif()
endforeach()
