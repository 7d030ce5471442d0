# The sanitizer named by SANITIZER, for everything that is built.
add_library(session_sanitizer INTERFACE)
if(NOT SANITIZER)
    return()
endif()
if(NOT SANITIZER MATCHES "^(address|undefined|thread|realtime)$")
    message(FATAL_ERROR "SANITIZER is '${SANITIZER}'; it may be address, undefined, thread, realtime or nothing")
endif()

target_compile_options(session_sanitizer INTERFACE
    -fsanitize=${SANITIZER} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
target_link_options(session_sanitizer INTERFACE -fsanitize=${SANITIZER})

include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=lld SESSION_HAS_LLD)
if(SESSION_HAS_LLD)
    target_link_options(session_sanitizer INTERFACE -fuse-ld=lld)
endif()

# The thread sanitizer of a Swift toolchain refers to libdispatch, which lies beside it.
if(SANITIZER STREQUAL "thread")
    file(REAL_PATH "${CMAKE_C_COMPILER}" compiler)
    cmake_path(GET compiler PARENT_PATH toolchain)
    set(libraries "${toolchain}/../lib/swift/linux")
    if(EXISTS "${libraries}/libdispatch.so")
        target_link_options(session_sanitizer INTERFACE
            -L${libraries} -Wl,-rpath,${libraries} -ldispatch -lBlocksRuntime)
    endif()
endif()
