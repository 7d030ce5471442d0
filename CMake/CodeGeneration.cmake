# How compilers generate code for the C libraries: alike, so that a library has the same speed and
# computes the same samples with GCC and with Clang.
add_library(session_code_generation INTERFACE)

# A multiplication and an addition become one instruction where the processor has it. Clang does this by
# default; GCC does not in standard C.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    target_compile_options(session_code_generation INTERFACE $<$<COMPILE_LANGUAGE:C>:-ffp-contract=fast>)
endif()

# Functions begin with a cache line. A cycle calls many short functions; with other alignments, its
# duration differs by up to a quarter, depending on where the linker places them.
target_compile_options(session_code_generation INTERFACE $<$<COMPILE_LANGUAGE:C>:-falign-functions=64>)
