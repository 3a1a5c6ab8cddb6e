# The family of COMPILER, and the flags that a user of the folders in INCLUDES gives it.
if(COMPILER MATCHES "clang")
  set(family clang)
else()
  set(family gcc)
endif()

file(STRINGS "${INCLUDES}" folders)
set(flags -std=c++20)
foreach(folder IN LISTS folders)
  # A place that every compiler searches anyway.
  if(NOT folder STREQUAL "/usr/include")
    list(APPEND flags -I "${folder}")
  endif()
endforeach()
