/// Continuing in the background, for the programs of this package.
#ifndef PLATFORM_DETACH_H
#define PLATFORM_DETACH_H

#ifdef __cplusplus
extern "C" {
#endif

/// Continues in a new process and a new session, with no signal blocked and no descriptors except
/// the standard ones (unchanged) and `kept` (-1: none). `folder` becomes the working directory;
/// NULL: it does not change. Call it only before the process has a second thread. The caller's
/// process exits with 0 and flushes no output buffers. Returns 0 in the new process, or a negative
/// errno: in the old process if no new one could be created, else in the new one.
int platform_detach(int kept, const char *folder);

#ifdef __cplusplus
}
#endif
#endif
