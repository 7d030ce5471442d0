/// State of a voice of the pool.
#ifndef RCORE_VOICE_STATE_H
#define RCORE_VOICE_STATE_H

#include "ramp.h"
#include "render_core.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

/// Greatest speed of a voice.
#define MAX_SPEED 16

/// Where a memory source is, and how often it still goes back.
struct place {
    uint64_t frame;
    uint64_t loops;
    bool looped; // has gone back: what was before loop_start is the loop's end
    bool past;   // ran on beyond the end
};

enum source_kind { SOURCE_MEMORY, SOURCE_STREAM, SOURCE_RENDER, SOURCE_INPUT };

/// A voice's `start`: who may command it. Between these two: 1 + the index of the port whose open group starts it.
enum {
    START_NONE = 0,
    START_POSTED = 0xFFFF,
    START_PORT = 0xFFFF, // the bits of these three
    START_VARISPEED = 1 << 16,
    START_PANNED = 1 << 17,
    START_MEMORY = 1 << 18,
};

/// A voice's `group`: 1 + the bus into whose first two channels it goes; a mono source into both, or a stereo one channel to channel.
enum { GROUP_NONE = 0, GROUP_PAIR = 1 << 15 };

/// One voice of the pool, in the order of how often the cycle looks at it: one that goes in a group (group.c) needs the first line alone.
struct voice {
    alignas(64) const float *samples; // memory: [channel * stride + frame]; else NULL
    uint64_t frame;                   // memory: the next
    uint64_t direct_end;      // memory: up to here they are the samples as they lie; source.c finds out what is beyond
    _Atomic(uint64_t) frames; // rendered
    struct ramp gain;         // its step is 0 where it is at rest
    struct sides sides;       // of the pan, at the end of the present stretch (pan.c); no law: of the way to the pair
    uint16_t pan_remaining;   // frames of the stretch; 0: the pan stands still
    uint16_t group;           // which voices it may be mixed with; GROUP_NONE: it goes by itself

    _Atomic(uint64_t) status; // generation << 32 | rcore_end_t << 8 | rcore_voice_state_t
    uint64_t stride;
    const rcore_matrix_t *matrix;
    struct ramp fade; // 1 = heard; 0 = silent: of pause, resume, stop, start
    struct ramp pan;  // -1…1, of what follows the present stretch
    uint32_t bus;
    uint32_t channels;    // of the source
    uint16_t pan_stretch; // frames of a whole one
    uint8_t kind;         // enum source_kind
    uint8_t pan_law;
    bool paused;
    bool stopping;
    bool rendered_all; // callback: it gave fewer frames than were asked for
    bool gathered;     // memory: the present piece lies in the core's source samples

    struct ramp speed;    // source frames per frame; exactly 1 takes the samples as they are
    uint32_t phase;       // between the source's frames, in 1/2^32
    uint32_t next_phase;  // after the piece that is being mixed
    uint32_t consumed;    // source frames that this piece takes
    uint32_t place_index; // in the core's list of playing voices
    bool primed;          // stream: the frame before the present one is still in the ring
    bool looped;
    bool past;
    bool gain_set;    // a gain came before the start
    bool speed_set;   // a speed did
    bool pause_given; // a pause or resume did
    bool pan_given;   // a pan did
    bool placed;      // has one of the max_playing places (polyphony.c)
    uint8_t end;      // rcore_end_t, once it is stopping
    uint64_t loops;   // memory: how often still to go back
    uint64_t loop_start;
    uint64_t loop_end;
    uint64_t nframes; // of memory
    uint32_t loop_fade;
    uint32_t seek_remaining; // frames of the cross-fade that follows a seek
    uint32_t seek_frames;
    uint32_t next_seek_frames; // of the seek that waits for the end of this one
    bool seek_waits;
    uint64_t next_seek;
    uint32_t older; // neighbours among the voices of its priority, in the order of their starts
    uint32_t newer;
    struct place sought_from; // the old place, which goes on while it fades
    _Atomic(uint64_t) underruns;

    rcore_voice_params_t params; // the owner's until the start command is read, then the cycle's
    _Atomic(uint32_t) start;     // START_…
    uint32_t generation;         // whoever owns the voice
};
static_assert(offsetof(struct voice, status) == 64 && offsetof(struct voice, speed) == 128, "a cache line each");

#endif
