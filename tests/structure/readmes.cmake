# cmake -DROOMS=rooms.cmake -DTREE=folder -P readmes.cmake
#
# Every room, and every other folder that a newcomer opens, says what it is.
cmake_minimum_required(VERSION 3.25)

include("${ROOMS}")
set(folders examples/fem tests bench tune cmake docs)
foreach(room IN LISTS rooms)
  list(APPEND folders "${folder_${room}}")
endforeach()

set(missing)
foreach(folder IN LISTS folders)
  if(NOT EXISTS "${TREE}/${folder}/README.md")
    list(APPEND missing "${folder}")
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  message(FATAL_ERROR "no README.md in: ${missing}")
endif()
