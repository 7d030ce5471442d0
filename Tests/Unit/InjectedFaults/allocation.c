// Injected for the realtime sanitizer: a cycle that allocates where the compiler cannot see it.
#pragma clang diagnostic ignored "-Wfunction-effects"
#include <stdlib.h>

static void *(*volatile allocate)(size_t) = malloc;

static void process(void) __attribute__((nonblocking)) { free(allocate(64)); }

int main(void) {
    process();
    return 0;
}
