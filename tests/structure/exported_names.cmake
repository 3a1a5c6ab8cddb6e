# cmake -DNM=nm -DLIBRARY=libtenfold_cblas.so -P exported_names.cmake
#
# The C library exports its functions and no other name: what else it holds, all of C++ among it,
# can meet nothing of the program it is loaded into.
cmake_minimum_required(VERSION 3.25)

set(expected)
foreach(scalar IN ITEMS s d c z)
  foreach(suffix IN ITEMS "" _64)
    foreach(form IN ITEMS batch batch_strided)
      list(APPEND expected "cblas_${scalar}gemm_${form}${suffix}")
    endforeach()
    foreach(form IN ITEMS gemm_batch_info gemm_batch_interleaved to_interleaved from_interleaved)
      list(APPEND expected "tenfold_${scalar}${form}${suffix}")
    endforeach()
  endforeach()
endforeach()

execute_process(
  COMMAND "${NM}" --dynamic --defined-only --format=posix "${LIBRARY}"
  OUTPUT_VARIABLE symbols
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " [^\n]*\n" ";" exported "${symbols}")
list(REMOVE_ITEM exported "")

foreach(name IN LISTS exported)
  if(NOT name IN_LIST expected)
    message(SEND_ERROR "${name} leaves the library")
  endif()
endforeach()
foreach(name IN LISTS expected)
  if(NOT name IN_LIST exported)
    message(SEND_ERROR "${name} is missing")
  endif()
endforeach()
