// Injected for the address sanitizer: one sample past the end.
#include <stdlib.h>

int main(int argc, char **argv) {
    (void)argv;
    volatile float *samples = malloc(64 * sizeof(float));
    samples[63 + argc] = 1.0f;
    free((void *)samples);
    return 0;
}
