# cmake -DCOMPILER=... -DINCLUDES=includes.txt -DHEADERS=headers.hpp -P precompile.cmake
#
# Precompiles HEADERS to a file beside it, where the compiler looks before it reads them.
cmake_minimum_required(VERSION 3.25)
include("${CMAKE_CURRENT_LIST_DIR}/flags.cmake")

if(family STREQUAL "clang")
  set(precompiled "${HEADERS}.pch")
else()
  set(precompiled "${HEADERS}.gch")
endif()
execute_process(COMMAND "${COMPILER}" ${flags} -x c++-header "${HEADERS}" -o "${precompiled}"
                        COMMAND_ERROR_IS_FATAL ANY)
