# The sanitizer named by SANITIZER, for every target. "address" also enables the undefined-behaviour
# sanitizer, in the same build.
add_library(session_sanitizer INTERFACE)
if(NOT SANITIZER)
    return()
endif()
if(NOT SANITIZER MATCHES "^(address|thread|realtime)$")
    message(FATAL_ERROR "SANITIZER is '${SANITIZER}'; it may be address, thread, realtime or nothing")
endif()

set(checks ${SANITIZER})
if(SANITIZER STREQUAL "address")
    set(checks address,undefined)
endif()
target_compile_options(session_sanitizer INTERFACE
    -fsanitize=${checks} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
target_link_options(session_sanitizer INTERFACE -fsanitize=${checks})

include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=lld SESSION_HAS_LLD)
if(SESSION_HAS_LLD)
    target_link_options(session_sanitizer INTERFACE -fuse-ld=lld)
endif()

# The thread sanitizer of a Swift toolchain needs libdispatch, which is installed with the
# toolchain.
if(SANITIZER STREQUAL "thread")
    file(REAL_PATH "${CMAKE_C_COMPILER}" compiler)
    cmake_path(GET compiler PARENT_PATH toolchain)
    set(libraries "${toolchain}/../lib/swift/linux")
    if(EXISTS "${libraries}/libdispatch.so")
        target_link_options(session_sanitizer INTERFACE
            -L${libraries} -Wl,-rpath,${libraries} -ldispatch -lBlocksRuntime)
    endif()
endif()
