/// Function multiversioning: compiles a loop for several instruction sets. The dynamic loader
/// selects the widest one that the CPU supports, once.
///
/// MULTIVERSION is for loops that the compiler vectorises. A loop whose vectors must be as large as
/// the registers of each set is in a file that is included once per set instead, as in
/// mix/batch_mix.c; SELECT_VERSION then defines its function.
#ifndef RCORE_MULTIVERSION_H
#define RCORE_MULTIVERSION_H

// ThreadSanitizer does not support functions with several versions. Benchmarks define
// RCORE_ONE_VERSION to measure the default version on any processor.
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
/// Defines the function `name`, without a result, from name_default, name_v3 and name_v4. The
/// loader calls the selector before relocations: no instrumentation may run in it.
#define SELECT_VERSION(name, parameters, arguments)                                                                    \
    typedef void name##_function parameters RCORE_RT;                                                                  \
    __attribute__((no_sanitize_address)) static name##_function *select_##name(void) {                                 \
        __builtin_cpu_init();                                                                                          \
        return __builtin_cpu_supports("x86-64-v4")   ? name##_v4                                                       \
               : __builtin_cpu_supports("x86-64-v3") ? name##_v3                                                       \
                                                     : name##_default;                                                 \
    }                                                                                                                  \
    void name parameters RCORE_RT __attribute__((ifunc("select_" #name)));
#else
#define MULTIVERSION
#define SELECT_VERSION(name, parameters, arguments)                                                                    \
    void name parameters RCORE_RT { name##_default arguments; }
#endif

#endif
