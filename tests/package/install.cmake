# cmake -DBUILD=folder -DPREFIX=folder -P install.cmake: installs, and leaves nothing of earlier days.
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}"
                COMMAND_ERROR_IS_FATAL ANY)
