/// The surroundings of the programs of this package: standard output, signals, limits.
#ifndef PLATFORM_PROGRAM_H
#define PLATFORM_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/// Prepares the process. Call it first in `main`.
///
/// At its end, the process reports output that could not be written: with a message and status 74
/// (EX_IOERR), or, if the reader of a pipe is gone, without a message and with 128 + SIGPIPE. A
/// standard descriptor that is closed is opened so that using it fails, and no other file receives
/// its number. A file that reaches the size limit (RLIMIT_FSIZE) fails to be written, like one on a
/// full disk: SIGXFSZ is ignored.
void platform_begin_program(void);

/// Undoes what a long-running process must not inherit from the program that happened to start it:
/// raises soft limits to the hard ones, that of open files to at most `most_files`, and gives the
/// process the usual priority if it may. The limits of the stack and of core files do not change.
void platform_reset_limits(unsigned long most_files);

#ifdef __cplusplus
}
#endif
#endif
