/// What the tests of the transport share.
#ifndef TRANSPORT_STAGE_H
#define TRANSPORT_STAGE_H

#include "expect.h"
#include "stage.h"

/// Frames of a beat at 120 beats per minute.
#define TRANSPORT_BEAT 24000u

/// Returns a time of the current pass.
static inline uint64_t at_beat(const stage_t *stage, double beat) {
    return rcore_beat_time(rcore_read_transport(stage->core).pass, beat);
}

/// Plays an impulse on bus 0.
static inline rcore_voice_t play_impulse(stage_t *stage, const rcore_buffer_t *impulse, uint64_t when) {
    return stage_play(stage, impulse, when);
}

static inline void expect_ok(rcore_status_t status) { EXPECT_EQUAL(status, RCORE_OK); }

/// Posts a map of one tempo in 4/4.
static inline void post_tempo(rcore_t *core, double beats_per_minute) {
    const rcore_tempo_change_t change = {.beats_per_minute = beats_per_minute, .beats_per_bar = 4, .beat_unit = 4};
    expect_ok(rcore_post_tempo_map(core, rcore_tempo_map_create(&change, 1, NULL)));
}

/// Returns the frames from `from` on at which the left channel is not silent; at most `limit`.
static inline uint32_t find_impulses(const stage_t *stage, uint64_t from, uint64_t *frames, uint32_t limit) {
    uint32_t count = 0;
    for (uint64_t frame = from; frame < stage->nframes && count < limit; frame++) {
        if (stage->out[0][frame] != 0.0f) {
            frames[count++] = frame;
        }
    }
    return count;
}

static inline void expect_impulses(const stage_t *stage, uint64_t from, const uint64_t *frames, uint32_t count) {
    uint64_t found[64];
    EXPECT_EQUAL(find_impulses(stage, from, found, 64), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQUAL(found[i], frames[i]);
    }
}

/// Returns the number of late commands since the last call with the same counter.
static inline uint64_t late_since(const stage_t *stage, uint64_t *before) {
    const uint64_t now = rcore_read_counters(stage->core).late_commands, since = now - *before;
    *before = now;
    return since;
}

#endif
