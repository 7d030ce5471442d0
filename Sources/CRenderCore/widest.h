/// Loops for the widest instructions that the machine has; which, the loader finds out once.
#ifndef RCORE_WIDEST_H
#define RCORE_WIDEST_H

// The thread sanitizer does not bear functions in several versions.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RCORE_ONE_VERSION
#endif
#endif
#if defined(__clang__) && defined(__x86_64__) && !defined(RCORE_ONE_VERSION)
#define WIDEST __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define WIDEST
#endif

#endif
