# Cross-compiles for 64-bit ARM on Linux: the presets arm64 and arm64-clang (Documentation/C.md).
# Scripts/arm64 prepares the folder of arm64 libraries. Tests run by QEMU's user-mode emulation.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

cmake_path(SET CMAKE_SYSROOT NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-sysroot)
if(NOT EXISTS ${CMAKE_SYSROOT}/complete)
    message(FATAL_ERROR "The arm64 libraries are missing; run: Scripts/arm64 --prepare")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Otherwise pkg-config would find the libraries of this machine.
set(ENV{PKG_CONFIG_PATH} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

# Debian's package qemu-user-static has the first name, qemu-user the second.
find_program(QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64 REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${QEMU_AARCH64} -L ${CMAKE_SYSROOT})

# Clang takes the files of GCC's runtime from the cross compiler, which knows where they are.
if(CMAKE_C_COMPILER MATCHES "clang")
    execute_process(COMMAND aarch64-linux-gnu-gcc -print-libgcc-file-name OUTPUT_VARIABLE libgcc
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    cmake_path(GET libgcc PARENT_PATH runtime)
    foreach(language C CXX)
        set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-gnu)
        set(CMAKE_${language}_FLAGS_INIT "--gcc-install-dir=${runtime}")
    endforeach()
endif()
