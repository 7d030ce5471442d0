// Injected for the undefined behaviour sanitizer: a frame count past INT_MAX.
#include <limits.h>

int main(int argc, char **argv) {
    (void)argv;
    volatile int frames = INT_MAX;
    frames = frames + argc;
    return 0;
}
