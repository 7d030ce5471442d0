#include "recording.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sndfile.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Does not block: it is async-signal-safe.
int sem_post(sem_t *semaphore) RCORE_RT;

/// The ring holds almost three seconds at 48 kHz: a disk may block for that long.
enum { RING_FRAMES = 1 << 17, WRITE_FRAMES = 4096 };

struct recording {
    uint32_t channels;
    /// RING_FRAMES interleaved frames.
    float *ring;
    // Counts of frames since the start. The cycle writes `written` and `lost`, the thread writes
    // `read`. The frames from `read` up to `written` belong to the thread.
    atomic_uint_fast64_t written;
    atomic_uint_fast64_t read;
    atomic_uint_fast64_t lost;
    /// Posted when the cycle has written frames, and when the recording ends.
    sem_t arrived;
    /// Posted when the thread has read frames.
    sem_t room;
    atomic_bool finishing;
    SNDFILE *file;
    /// Set by the thread, read once it has ended.
    const char *failure;
    pthread_t thread;
};

/// Writes all frames of the ring to the file.
static void write_out(recording_t *recording) {
    uint64_t from = atomic_load_explicit(&recording->read, memory_order_relaxed);
    uint64_t to = atomic_load_explicit(&recording->written, memory_order_acquire);
    while (from < to) {
        uint64_t offset = from % RING_FRAMES, count = to - from;
        count = count < RING_FRAMES - offset ? count : RING_FRAMES - offset;
        count = count < WRITE_FRAMES ? count : WRITE_FRAMES;
        sf_count_t stored =
            sf_writef_float(recording->file, recording->ring + offset * recording->channels, (sf_count_t)count);
        if (stored != (sf_count_t)count && recording->failure == NULL) {
            recording->failure = sf_strerror(recording->file);
        }
        from += count;
        atomic_store_explicit(&recording->read, from, memory_order_release);
        sem_post(&recording->room);
    }
}

/// Writes frames to the file whenever the cycle has written some, and the rest at the end.
static void *run(void *argument) {
    recording_t *recording = argument;
    while (!atomic_load(&recording->finishing)) {
        if (sem_wait(&recording->arrived) == -1 && errno == EINTR) {
        }
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
    if (recording->file == NULL) {
        snprintf(error, error_size, "Cannot record to '%s': %s.", path, sf_strerror(NULL));
        return false;
    }
    // If the device is killed, the header of its file matches the frames that it has.
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
    if (recording == NULL) {
        snprintf(error, error_size, "Not enough memory for a recording.");
        return NULL;
    }
    recording->channels = channels;
    sem_init(&recording->arrived, 0, 0);
    sem_init(&recording->room, 0, 0);
    size_t size = (size_t)RING_FRAMES * channels * sizeof(float);
    recording->ring = malloc(size);
    if (recording->ring == NULL) {
        snprintf(error, error_size, "Not enough memory to record %u channels.", channels);
    } else if (open_file(recording, path, sample_rate, error, error_size)) {
        memset(recording->ring, 0, size); // the cycle must not be the first to touch it
        if (pthread_create(&recording->thread, NULL, run, recording) == 0) {
            return recording;
        }
        snprintf(error, error_size, "Cannot create a thread for the recording.");
        sf_close(recording->file);
    }
    free_recording(recording);
    return NULL;
}

// The rule that the cycle must not block applies to threads with a deadline; there is none while
// the server freewheels.
#if defined(__clang__) && __clang_major__ >= 20
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wfunction-effects"
#endif
static void wait_for_room(recording_t *recording) RCORE_RT {
    while (sem_wait(&recording->room) == -1 && errno == EINTR) {
    }
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
    for (uint32_t i = 0; i < nframes; i++, to++) {
        for (uint32_t channel = 0; channel < recording->channels; channel++) {
            recording->ring[to % RING_FRAMES * recording->channels + channel] = planes[channel][i];
        }
    }
    atomic_store_explicit(&recording->written, to, memory_order_release);
    sem_post(&recording->arrived);
}

bool recording_finish(recording_t *recording, char *error, unsigned long error_size) {
    if (recording == NULL) {
        return true;
    }
    atomic_store(&recording->finishing, true);
    sem_post(&recording->arrived);
    pthread_join(recording->thread, NULL);
    uint64_t lost = atomic_load(&recording->lost);
    const char *failure = recording->failure;
    if (sf_close(recording->file) != 0 && failure == NULL) {
        failure = "the file cannot be closed";
    }
    if (failure != NULL) {
        snprintf(error, error_size, "The recording is incomplete: %s.", failure);
    } else if (lost > 0) {
        snprintf(error, error_size, "The recording is incomplete: the disk was too slow for %llu frames.",
                 (unsigned long long)lost);
    }
    free_recording(recording);
    return failure == NULL && lost == 0;
}
