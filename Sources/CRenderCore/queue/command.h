/// Commands, and the queues that carry them.
#ifndef RCORE_COMMAND_H
#define RCORE_COMMAND_H

#include "queue/ring.h"
#include "render_core.h"

enum command_kind {
    COMMAND_START,
    COMMAND_STOP,
    COMMAND_STOP_ALL,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_SEEK,
    COMMAND_LEAVE_LOOP,
    COMMAND_GAIN,
    COMMAND_PAN,
    COMMAND_SPEED,
    COMMAND_BUS_GAIN,
    COMMAND_BUS_PAN,
    COMMAND_BUS_MUTE,
    COMMAND_BUS_SOLO,
    COMMAND_SEND_LEVEL,
    COMMAND_INPUT_GAIN,
    COMMAND_PLAN,
};

/// A command, of fixed size. The voice itself carries the parameters of a start.
struct command {
    uint64_t when;
    /// Set by the cycle, so that commands for one time keep their order.
    uint64_t order;
    union {
        /// Serial of a plan.
        uint64_t serial;
        /// Target of a seek.
        uint64_t frame;
    };
    union {
        rcore_voice_t voice;
        rcore_plan_t *plan;
    };
    uint16_t kind;
    /// Index of the queue that posted it.
    uint8_t queue;
    /// rcore_curve_t of a ramp. A nonlinear curve counts toward the core's `max_curves`.
    uint8_t curve;
    /// Slot of a bus, send or input.
    uint32_t slot;
    /// Gain, pan, speed or level. Mute and solo: whether it is not 0.
    float value;
    uint32_t ramp_frames;
};

/// A command queue (queue.c).
struct rcore_queue {
    struct ring ring;
    rcore_t *core;
    struct command *commands;
    /// Number of timed commands that were applied.
    _Atomic(uint64_t) timed_applied;
    /// Number of timed commands that were posted. [producer]
    uint64_t timed_posted;
    /// Number of commands of the open transaction, written but not yet published. [producer]
    uint32_t staged;
    uint8_t index;
    bool transaction_open;
    bool transaction_failed;
    /// [control]
    bool open;
};

#endif
