/// State of the slots of buses, sends and inputs: it outlasts plans.
#ifndef RCORE_SLOT_STATE_H
#define RCORE_SLOT_STATE_H

#include "ramp.h"
#include "render_core.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

/// What a session bus's gate is doing (gate.c). First what each cycle asks for.
struct gate_state {
    uint64_t verdict_word;
    uint64_t volume_word;
    bool attached; // has read its first verdict
    bool paused;
    bool frozen;
    bool settling;    // a verdict was applied and its ramps are not over
    bool still;       // nothing moves, and all is told
    struct ramp open; // 1 = heard; 0 = paused or muted
    struct ramp volume;
    double duck;      // attenuation now, in 1/256 dB
    double duck_step; // per frame
    double duck_target;
    uint32_t duck_remaining;
    uint32_t late; // frames that its delay lines lack, while it stands still
    uint32_t wait; // until `open` rises: what is heard then has come through them
    uint32_t wait_ramp;
};

/// Of a slot that no plan in use has: whether one that waits has it, or did until a newer one took its place.
enum { EXPECTED_NOT, EXPECTED, EXPECTED_BEFORE };

/// State of a bus slot; outlasts plans. In the order of how often the cycle looks at it: a bus on which nothing moves needs the first line alone.
struct bus_state {
    alignas(64) struct ramp gain;
    struct ramp pan;     // -1…1
    struct ramp audible; // 1 = neither muted nor silenced by others' solo (solo.c)
    struct ramp played;  // the same of what is played into it directly
    uint32_t channels;   // 0 while no plan has it; while plans cross-fade the greater of theirs
    bool fed;    // within a slice: something was added to it; before, what lies in its samples means nothing (bus_open)
    bool frozen; // its own gate or one it leads to stands still
    bool frozen_leaving; // did so in the plan that leaves
    bool muted;
    bool soloed;
    bool above;        // leads to where something soloed or solo-safe leads (solo.c)
    bool below;        // leads to something soloed
    bool soloed_under; // a root: something under it is soloed

    struct gate_state gate;
    uint32_t index;              // in the newest plan, while plans are compared (swap.c)
    _Atomic(uint32_t) gate_gain; // float bits, published
    bool sounding;               // something that sounds leads to it, as of the last look (buses_mark_sounding)
    bool fresh;                  // no plan had it before the one that is being taken over
    bool joined;                 // the plan that leaves has it not
    bool in_plan;                // the plan in use has it
    uint8_t expected;            // a plan that waits will bring it: what is told of it meanwhile holds
    bool gated;                  // and there with a gate
    uint32_t resets;             // how often it was forgotten: what it was told before is over
};
static_assert(offsetof(struct bus_state, gate) == 64, "a cache line");

/// State of a send slot; outlasts plans.
struct send_state {
    struct ramp level;
    uint64_t serial;  // of the newest plan it was heard in
    uint32_t source;  // the slot of its bus, there
    uint32_t resets;  // as a bus
    uint8_t expected; // as a bus
};

/// State of an input slot; outlasts plans (inputs.c).
struct input_state {
    struct ramp gain;
    struct ramp grant; // 1 = granted; 0 = silence
    uint32_t channels; // 0 while no plan has it
    uint32_t join_frames;
    uint32_t resets;  // as a bus
    uint8_t expected; // as a bus
    bool attached;    // has read its first verdict
    bool paused;
};

#endif
