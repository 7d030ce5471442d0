# Warnings are errors, except when another project includes this one. Clang 20 and newer also check
# that the render cycle neither blocks nor allocates.
add_library(session_warnings INTERFACE)
target_compile_options(session_warnings INTERFACE -Wall -Wextra)
if(PROJECT_IS_TOP_LEVEL)
    target_compile_options(session_warnings INTERFACE -Werror)
endif()

set(SESSION_CHECKS_EFFECTS OFF)
if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_C_COMPILER_VERSION VERSION_GREATER_EQUAL 20)
    set(SESSION_CHECKS_EFFECTS ON)
    target_compile_options(session_warnings INTERFACE $<$<COMPILE_LANGUAGE:C>:-Wfunction-effects>)
else()
    message(STATUS "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} cannot check function effects: RCORE_RT is empty")
endif()
