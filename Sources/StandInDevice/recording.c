#include "recording.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sndfile.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Async-signal-safe, so it does not block.
int sem_post(sem_t *semaphore) RCORE_RT;

/// Near three seconds at 48 kHz: a disk may take that long.
enum { RING_FRAMES = 1 << 17, WRITE_FRAMES = 4096 };

struct recording {
    uint32_t channels;
    float *ring; ///< RING_FRAMES interleaved frames
    // Frames since the start. Each is written by one side only; what lies between them is the reader's.
    atomic_uint_fast64_t written;
    atomic_uint_fast64_t read;
    atomic_uint_fast64_t lost;
    sem_t arrived; ///< the cycle wrote, or is to write no more
    sem_t room;    ///< the thread read
    atomic_bool finishing;
    SNDFILE *file;
    const char *failure; ///< the thread's, read once it has ended
    pthread_t thread;
};

static void write_out(recording_t *recording) {
    uint64_t from = atomic_load_explicit(&recording->read, memory_order_relaxed);
    uint64_t to = atomic_load_explicit(&recording->written, memory_order_acquire);
    while (from < to) {
        uint64_t place = from % RING_FRAMES, count = to - from;
        count = count < RING_FRAMES - place ? count : RING_FRAMES - place;
        count = count < WRITE_FRAMES ? count : WRITE_FRAMES;
        sf_count_t done =
            sf_writef_float(recording->file, recording->ring + place * recording->channels, (sf_count_t)count);
        if (done != (sf_count_t)count && !recording->failure)
            recording->failure = sf_strerror(recording->file);
        from += count;
        atomic_store_explicit(&recording->read, from, memory_order_release);
        sem_post(&recording->room);
    }
}

static void *run(void *argument) {
    recording_t *recording = argument;
    while (!atomic_load(&recording->finishing)) {
        if (sem_wait(&recording->arrived) == -1 && errno == EINTR)
            continue;
        write_out(recording);
    }
    write_out(recording);
    return NULL;
}

static bool open_file(recording_t *recording, const char *path, uint32_t sample_rate, char *error,
                      unsigned long error_size) {
    SF_INFO format = {.samplerate = (int)sample_rate,
                      .channels = (int)recording->channels,
                      .format = SF_FORMAT_WAV | SF_FORMAT_FLOAT};
    recording->file = sf_open(path, SFM_WRITE, &format);
    if (!recording->file) {
        snprintf(error, error_size, "What arrives cannot be recorded in '%s': %s.", path, sf_strerror(NULL));
        return false;
    }
    // A device that is killed leaves a file whose header holds for what it has.
    sf_command(recording->file, SFC_SET_UPDATE_HEADER_AUTO, NULL, SF_TRUE);
    sf_command(recording->file, SFC_SET_ADD_PEAK_CHUNK, NULL, SF_FALSE);
    return true;
}

static void free_recording(recording_t *recording) {
    sem_destroy(&recording->arrived);
    sem_destroy(&recording->room);
    free(recording->ring);
    free(recording);
}

recording_t *recording_start(const char *path, uint32_t channels, uint32_t sample_rate, char *error,
                             unsigned long error_size) {
    recording_t *recording = calloc(1, sizeof *recording);
    if (!recording) {
        snprintf(error, error_size, "There is not enough memory for a recording.");
        return NULL;
    }
    recording->channels = channels;
    sem_init(&recording->arrived, 0, 0);
    sem_init(&recording->room, 0, 0);
    size_t size = (size_t)RING_FRAMES * channels * sizeof(float);
    recording->ring = malloc(size);
    if (!recording->ring)
        snprintf(error, error_size, "There is not enough memory to record %u channels.", channels);
    else if (open_file(recording, path, sample_rate, error, error_size)) {
        memset(recording->ring, 0, size); // the cycle is not to be the first to touch it
        if (pthread_create(&recording->thread, NULL, run, recording) == 0)
            return recording;
        snprintf(error, error_size, "There is no thread to be had for a recording.");
        sf_close(recording->file);
    }
    free_recording(recording);
    return NULL;
}

// The cycle's rule against blocking is for threads with a deadline; while the server freewheels there is none.
#if defined(__clang__) && __clang_major__ >= 20
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wfunction-effects"
#endif
static void wait_for_room(recording_t *recording) RCORE_RT {
    while (sem_wait(&recording->room) == -1 && errno == EINTR)
        continue;
}
#if defined(__clang__) && __clang_major__ >= 20
#pragma clang diagnostic pop
#endif

void recording_write(recording_t *recording, const float *const *planes, uint32_t nframes, bool may_wait) RCORE_RT {
    uint64_t to = atomic_load_explicit(&recording->written, memory_order_relaxed);
    while (to + nframes - atomic_load_explicit(&recording->read, memory_order_acquire) > RING_FRAMES) {
        if (!may_wait || nframes > RING_FRAMES) {
            atomic_fetch_add_explicit(&recording->lost, nframes, memory_order_relaxed);
            return;
        }
        wait_for_room(recording);
    }
    for (uint32_t i = 0; i < nframes; i++, to++)
        for (uint32_t channel = 0; channel < recording->channels; channel++)
            recording->ring[to % RING_FRAMES * recording->channels + channel] = planes[channel][i];
    atomic_store_explicit(&recording->written, to, memory_order_release);
    sem_post(&recording->arrived);
}

bool recording_finish(recording_t *recording, char *error, unsigned long error_size) {
    if (!recording)
        return true;
    atomic_store(&recording->finishing, true);
    sem_post(&recording->arrived);
    pthread_join(recording->thread, NULL);
    uint64_t lost = atomic_load(&recording->lost);
    const char *failure = recording->failure;
    if (sf_close(recording->file) != 0 && !failure)
        failure = "it cannot be closed";
    if (failure)
        snprintf(error, error_size, "The recording is not whole: %s.", failure);
    else if (lost > 0)
        snprintf(error, error_size, "The recording is not whole: %llu frames found no room on their way to the disk.",
                 (unsigned long long)lost);
    free_recording(recording);
    return !failure && lost == 0;
}
