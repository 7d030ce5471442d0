// A capture has a ring of frames and a ring of run starts. Each run start has the stream position
// and the time of the run's first frame.
//
// The producer publishes a run start before the frames of that run, so a consumer that sees the
// frames also sees the run start.
#include "core/memory.h"
#include "queue/ring.h"
#include "rcore_capture.h"
#include "rcore_fifo.h"

#include <stdlib.h>

enum { run_start_capacity = 1024 };

struct run_start {
    // Stream position of the run's first frame.
    uint64_t position;
    // Time of that frame.
    uint64_t time;
};

struct rcore_capture {
    struct ring ring;
    struct run_start run_starts[run_start_capacity];
    rcore_fifo_t *fifo;
    // Producer.
    uint64_t written;
    // Time that the next frame has if it continues the run.
    uint64_t next_time;
    // Whether any frame has been written.
    bool has_written;
    _Atomic(uint64_t) lost;
    // Consumer.
    alignas(64) uint64_t read;
    // The run that is being read.
    struct run_start run;
};

rcore_capture_t *rcore_capture_create(uint32_t channels, uint32_t capacity_frames, rcore_status_t *status) {
    rcore_fifo_t *fifo = rcore_fifo_create(channels, capacity_frames, status);
    if (fifo == NULL) {
        return NULL;
    }
    rcore_capture_t *capture = memory_allocate(sizeof *capture);
    if (capture == NULL) {
        rcore_fifo_destroy(fifo);
        if (status != NULL) {
            *status = RCORE_NO_MEMORY;
        }
        return NULL;
    }
    ring_init(&capture->ring, run_start_capacity);
    capture->fifo = fifo;
    return capture;
}

void rcore_capture_destroy(rcore_capture_t *capture) {
    if (capture != NULL) {
        rcore_fifo_destroy(capture->fifo);
        free(capture);
    }
}

uint32_t rcore_capture_channels(const rcore_capture_t *capture) RCORE_RT { return rcore_fifo_channels(capture->fifo); }

uint32_t rcore_capture_readable(rcore_capture_t *capture) RCORE_RT { return rcore_fifo_readable(capture->fifo); }

uint64_t rcore_capture_lost_frames(const rcore_capture_t *capture) RCORE_RT {
    return atomic_load_explicit(&capture->lost, memory_order_relaxed);
}

uint64_t rcore_capture_nonfinite_count(const rcore_capture_t *capture) RCORE_RT {
    return rcore_fifo_nonfinite_count(capture->fifo);
}

bool rcore_capture_write(rcore_capture_t *capture, uint64_t time, const float *const *planes,
                         uint32_t nframes) RCORE_RT {
    if (nframes == 0) {
        return true;
    }
    const bool starts_run = !capture->has_written || time != capture->next_time;
    if (rcore_fifo_writable(capture->fifo) < nframes || (starts_run && ring_writable(&capture->ring, 1) < 1)) {
        const uint64_t lost = atomic_load_explicit(&capture->lost, memory_order_relaxed);
        atomic_store_explicit(&capture->lost, lost + nframes, memory_order_relaxed);
        return false;
    }
    if (starts_run) {
        capture->run_starts[ring_write_slot(&capture->ring, 0)] = (struct run_start){capture->written, time};
        ring_did_write(&capture->ring, 1);
    }
    capture->has_written = true;
    capture->written += nframes;
    capture->next_time = time + nframes;
    return rcore_fifo_write(capture->fifo, planes, nframes);
}

// Returns how many of the next `nframes` readable frames belong to the current run. At the end of
// the current run, makes the next one current first.
static uint32_t run_length(rcore_capture_t *capture, uint32_t nframes) RCORE_RT {
    while (ring_readable(&capture->ring, 1) > 0) {
        const struct run_start next = capture->run_starts[ring_read_slot(&capture->ring, 0)];
        if (next.position > capture->read) {
            const uint64_t left = next.position - capture->read;
            return left < nframes ? (uint32_t)left : nframes;
        }
        capture->run = next;
        ring_did_read(&capture->ring, 1);
    }
    return nframes;
}

uint32_t rcore_capture_read_interleaved(rcore_capture_t *capture, float *frames, uint32_t nframes,
                                        uint64_t *time) RCORE_RT {
    const uint32_t readable = rcore_fifo_readable(capture->fifo);
    const uint32_t length = run_length(capture, readable < nframes ? readable : nframes);
    if (length == 0 || !rcore_fifo_read_interleaved(capture->fifo, frames, length)) {
        return 0;
    }
    *time = capture->run.time + (capture->read - capture->run.position);
    capture->read += length;
    return length;
}
