# Fails unless PROGRAM prints what the file EXPECTED holds.
execute_process(COMMAND "${PROGRAM}" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ "${EXPECTED}" expected)
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "${EXPECTED} says\n${expected}\nbut its program prints\n${printed}")
endif()
