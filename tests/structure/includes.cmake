# cmake -DROOMS=rooms.cmake -DTREE=folder [-DEXPECTED_BREACHES=n] -P includes.cmake
#
# No file includes "..", and no file of a room includes a room, or an outside library, that its room
# must not see. Header verification finds the same for headers; this names the line, for every file.
cmake_minimum_required(VERSION 3.25)

include("${ROOMS}")

# Outside libraries that stay behind one door; programs (examples, tests, bench) link what they like.
set(only_in_xsimd "^backend/")
set(only_in_tbb "^backend/.*\\.cpp$")
set(only_in_immintrin "^backend/")
set(only_in_boost "^dsel/")

set(breaches 0)
function(breach file text)
  math(EXPR breaches "${breaches} + 1")
  set(breaches ${breaches} PARENT_SCOPE)
  message(NOTICE "${file}: ${text}")
endfunction()

# The rooms that a room sees, near and far, itself included.
function(reach room result)
  set(all ${room})
  foreach(seen IN LISTS sees_${room})
    reach(${seen} further)
    list(APPEND all ${further})
  endforeach()
  list(REMOVE_DUPLICATES all)
  set(${result} ${all} PARENT_SCOPE)
endfunction()

# The room of a path such as backend/interface/program.hpp: the one with the longest folder.
function(room_of path result)
  set(best "")
  set(length 0)
  foreach(room IN LISTS rooms)
    string(LENGTH "${folder_${room}}/" n)
    string(FIND "${path}" "${folder_${room}}/" position)
    if(position EQUAL 0 AND n GREATER length)
      set(best ${room})
      set(length ${n})
    endif()
  endforeach()
  set(${result} "${best}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE "${TREE}" "${TREE}/tensor/*" "${TREE}/backend/*"
     "${TREE}/contraction/*" "${TREE}/dsel/*" "${TREE}/include/*" "${TREE}/cblas/*"
     "${TREE}/examples/*" "${TREE}/tests/*" "${TREE}/bench/*" "${TREE}/tune/*")
list(FILTER files INCLUDE REGEX "\\.(cpp|hpp|c|h)$")
list(FILTER files EXCLUDE REGEX "^tests/structure/broken_tree/")

foreach(file IN LISTS files)
  room_of("${file}" room)
  if(room)
    reach(${room} visible)
  endif()
  file(STRINGS "${TREE}/${file}" lines REGEX "^[ \t]*#[ \t]*include")
  foreach(line IN LISTS lines)
    if(line MATCHES "\"[^\"]*\\.\\.")
      breach("${file}" "${line}: no include climbs with `..`")
    endif()
    if(NOT line MATCHES "<([^>]+)>")
      continue()
    endif()
    set(path "${CMAKE_MATCH_1}")

    # Files of rooms: outside libraries.
    string(REGEX MATCH "^[a-z]+" library "${path}")
    if(library STREQUAL "oneapi")
      set(library tbb)
    endif()
    if(room AND DEFINED only_in_${library} AND NOT file MATCHES "${only_in_${library}}")
      breach("${file}" "${line}: ${library} must not be seen here")
    endif()

    # Files of rooms: other rooms.
    if(room AND path MATCHES "^tenfold/(.+)$")
      room_of("${CMAKE_MATCH_1}" other)
      if(NOT other)
        set(other face)
      endif()
      if(NOT other IN_LIST visible)
        breach("${file}" "${line}: ${room} must not see ${other}")
      endif()
    endif()
  endforeach()
endforeach()

if(NOT DEFINED EXPECTED_BREACHES)
  set(EXPECTED_BREACHES 0)
endif()
if(NOT breaches EQUAL EXPECTED_BREACHES)
  message(FATAL_ERROR "${breaches} includes are wrong")
endif()
