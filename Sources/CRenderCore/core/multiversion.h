/// Function multiversioning: compiles a loop for several instruction sets. The dynamic loader
/// selects the widest one that the CPU supports, once.
#ifndef RCORE_MULTIVERSION_H
#define RCORE_MULTIVERSION_H

// ThreadSanitizer does not support functions with several versions.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RCORE_ONE_VERSION
#endif
#endif
#if (defined(__clang__) || __GNUC__ >= 12) && defined(__x86_64__) && !defined(RCORE_ONE_VERSION)
#define MULTIVERSION __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define MULTIVERSION
#endif

#endif
