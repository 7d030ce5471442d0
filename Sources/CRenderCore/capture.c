// A capture is a ring of frames, and beside it a ring of marks: at which frame of the stream a run begins, and what time that was.
//
// A mark is published before the frames it stands for, so whoever sees the frames sees the mark.
#include "rcore_capture.h"

#include "memory.h"
#include "rcore_fifo.h"
#include "ring.h"

#include <stdlib.h>

enum { mark_capacity = 1024 };

struct mark {
    uint64_t position; // frames written before
    uint64_t time;
};

struct rcore_capture {
    struct ring ring;
    struct mark marks[mark_capacity];
    rcore_fifo_t *fifo;
    // Producer.
    uint64_t written;
    uint64_t next_time; // of the run
    bool running;       // a run has begun
    _Atomic(uint64_t) lost;
    // Consumer.
    alignas(64) uint64_t read;
    struct mark run; // the one that is being read
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
    ring_init(&capture->ring, mark_capacity);
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
    const bool begins = !capture->running || time != capture->next_time;
    if (rcore_fifo_writable(capture->fifo) < nframes || (begins && ring_writable(&capture->ring, 1) < 1)) {
        const uint64_t lost = atomic_load_explicit(&capture->lost, memory_order_relaxed);
        atomic_store_explicit(&capture->lost, lost + nframes, memory_order_relaxed);
        return false;
    }
    if (begins) {
        capture->marks[ring_write_slot(&capture->ring, 0)] = (struct mark){capture->written, time};
        ring_did_write(&capture->ring, 1);
    }
    capture->running = true;
    capture->written += nframes;
    capture->next_time = time + nframes;
    return rcore_fifo_write(capture->fifo, planes, nframes);
}

// Frames of the present run that wait, at most `nframes`; goes on to the next run where this one is over.
static uint32_t run_length(rcore_capture_t *capture, uint32_t nframes) RCORE_RT {
    while (ring_readable(&capture->ring, 1) > 0) {
        const struct mark next = capture->marks[ring_read_slot(&capture->ring, 0)];
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
    const uint32_t waiting = rcore_fifo_readable(capture->fifo);
    const uint32_t length = run_length(capture, waiting < nframes ? waiting : nframes);
    if (length == 0 || !rcore_fifo_read_interleaved(capture->fifo, frames, length)) {
        return 0;
    }
    *time = capture->run.time + (capture->read - capture->run.position);
    capture->read += length;
    return length;
}
