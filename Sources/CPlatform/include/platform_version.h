/// The version of the project. Scripts/check versions compares it with those of the packages and
/// libraries.
#ifndef PLATFORM_VERSION_H
#define PLATFORM_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define PLATFORM_VERSION "0.2.0"

/// The binary interface of the C libraries, as in `libaudiosession.so.0.2`. Before 1.0, each minor
/// version has its own (Documentation/Versions.md).
#define PLATFORM_BINARY_INTERFACE "0.2"

/// Prints the name of the program and the version, for --version, to standard output.
void platform_print_version(const char *program);

#ifdef __cplusplus
}
#endif
#endif
