/// Function multiversioning: compiles a loop for several instruction sets. The dynamic loader
/// selects the widest one that the CPU supports, once.
///
/// MULTIVERSION is for loops that the compiler vectorises. A loop whose vectors must be as large as
/// the registers of each set is compiled from a file per set instead, as in mix/batch_mix.c.
#ifndef RCORE_MULTIVERSION_H
#define RCORE_MULTIVERSION_H

// ThreadSanitizer does not support functions with several versions.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RCORE_ONE_VERSION
#endif
#endif
#if (defined(__clang__) || __GNUC__ >= 12) && defined(__x86_64__) && !defined(RCORE_ONE_VERSION)
#define RCORE_SEVERAL_VERSIONS
#define RCORE_TARGET_V3 __attribute__((target("arch=x86-64-v3")))
#define RCORE_TARGET_V4 __attribute__((target("arch=x86-64-v4")))
#define MULTIVERSION __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define MULTIVERSION
#endif

#endif
