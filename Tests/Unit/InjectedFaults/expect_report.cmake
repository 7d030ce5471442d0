# Passes if RUN (arguments separated by |) fails, with exit code CODE if given, and its output
# matches REPORT.
string(REPLACE "|" ";" command "${RUN}")
execute_process(COMMAND ${command} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
message("${output}")
if(code EQUAL 0)
    message(FATAL_ERROR "The injected fault was not detected: the command ended with 0.")
endif()
if(CODE AND NOT code EQUAL CODE)
    message(FATAL_ERROR "The command ended with ${code}, not with ${CODE}.")
endif()
if(NOT output MATCHES "${REPORT}")
    message(FATAL_ERROR "The command failed, but its report does not match '${REPORT}'.")
endif()
