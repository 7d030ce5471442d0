/// The version of the library. Include <audiosession/audiosession.h>.
///
/// Before 1.0, each minor version has its own binary interface, which the name of the shared
/// library states (`libaudiosession.so.0.2`): programs that were built with 0.2.0 run with each
/// 0.2.x. See Documentation/Versions.md.
#ifndef AUDIOSESSION_VERSION_H
#define AUDIOSESSION_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/// The version of these headers.
#define ASESSION_VERSION_MAJOR 0
#define ASESSION_VERSION_MINOR 2
#define ASESSION_VERSION_PATCH 0
#define ASESSION_VERSION "0.2.0"

/// Returns the version of the library that the program runs with, such as "0.2.0". Any
/// thread may call it.
const char *asession_version(void);

#ifdef __cplusplus
}
#endif
#endif
