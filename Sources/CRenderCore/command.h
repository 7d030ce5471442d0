/// Commands, and the ports that they come by.
#ifndef RCORE_COMMAND_H
#define RCORE_COMMAND_H

#include "render_core.h"
#include "ring.h"

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

/// Fixed-size; a start's parameters travel in the voice.
struct command {
    uint64_t when;
    uint64_t order; // given by the cycle: commands for one time keep their order
    union {
        uint64_t serial; // plan: its serial
        uint64_t frame;  // seek
    };
    union {
        rcore_voice_t voice;
        rcore_plan_t *plan;
    };
    uint16_t kind;
    uint8_t port;  // whose it is
    uint8_t curve; // rcore_curve_t of a ramp; one that is not linear holds one of the core's places for curves
    uint32_t slot; // of a bus or input
    float value;   // a gain, pan or speed
    uint32_t ramp_frames;
};

/// A command port (port.c).
struct rcore_port {
    struct ring ring;
    rcore_t *core;
    struct command *commands;
    _Atomic(uint64_t) timed_done; // commands with a time that have taken effect
    uint64_t timed_posted;        // [producer] commands with a time
    uint32_t staged;              // [producer] commands of the open group, written and not published
    uint8_t index;
    bool group_open;
    bool group_failed;
    bool open; // [control]
};

#endif
