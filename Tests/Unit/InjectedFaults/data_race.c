// Injected for the thread sanitizer: a gain that two threads share without an atomic.
#include <pthread.h>
#include <stdlib.h>

static float gain;

static void *ramp(void *argument) {
    for (int i = 0; i < 100000; i++) {
        gain += 0.5f;
    }
    return argument;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, ramp, NULL) != 0) {
        return 0;
    }
    ramp(NULL);
    pthread_join(thread, NULL);
    return 0;
}
