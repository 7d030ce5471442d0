// The signals of the soak test and the threads that trigger them.
#include "soak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

float sine_at(uint64_t frame) {
    return level * (float)sin(6.283185307179586 * (double)(frame % cycle_length) / cycle_length);
}

void tap_fill(struct tap *tap) {
    float frames[256];
    while (rcore_fifo_writable(tap->fifo) >= 256) {
        for (uint32_t i = 0; i < 256; i++) {
            frames[i] = sine_at(tap->written + i);
        }
        tap->written += 256;
        (void)rcore_fifo_write_interleaved(tap->fifo, frames, 256);
    }
}

static uint32_t render_tone(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    struct tone *tone = context;
    const uint64_t left = 3 * cycle_length - tone->frame;
    const uint32_t count = left < nframes ? (uint32_t)left : nframes;
    for (uint32_t i = 0; i < count; i++) {
        // A triangle: smooth enough, and it calls no math library function on the audio thread.
        const float phase = (float)((tone->frame + i) % cycle_length) / cycle_length;
        const float value = phase < 0.25f ? phase * 4.0f : phase < 0.75f ? 2.0f - phase * 4.0f : phase * 4.0f - 4.0f;
        for (uint32_t channel = 0; channel < channels; channel++) {
            planes[channel][i] = level * value;
        }
    }
    tone->frame += count;
    return count;
}

// ---- Trigger thread -----------------------------------------------------------------------------

static uint64_t any_time(struct trigger *trigger) {
    return random_once_in(&trigger->random, 2) ? RCORE_NOW
                                               : rcore_time(trigger->core) + random_below(&trigger->random, 3000);
}

static rcore_voice_params_t any_sound(struct trigger *trigger, uint32_t index) {
    struct random *random = &trigger->random;
    rcore_voice_params_t params = rcore_voice_params_default();
    params.bus = random_below(random, buses + 1);
    params.gain = random_float(random, -1.0f, 1.0f);
    params.pan_law = (rcore_pan_law_t)random_below(random, 3);
    params.pan = random_float(random, -1.0f, 1.0f);
    params.priority = random_below(random, 4);
    params.fade_in_frames = soft + random_below(random, 1000);
    params.paused = random_once_in(random, 10);
    const uint32_t kind = random_below(random, 8);
    if (kind == 0) {
        tap_fill(&trigger->taps[index]);
        params.fifo = trigger->taps[index].fifo;
        params.speed = random_float(random, 0.5f, 1.5f);
    } else if (kind == 1) {
        trigger->tones[index].frame = 0;
        params.render = render_tone;
        params.render_context = &trigger->tones[index];
        params.render_channels = 1 + random_below(random, 2);
    } else if (kind == 2) {
        params.input_channels = 1;
        params.input = random_below(random, 2);
    } else {
        params.buffer = trigger->sounds[random_below(random, 2)];
        params.speed = random_once_in(random, 2) ? 1.0f : random_float(random, 0.5f, 2.0f);
        params.start_frame = random_below(random, 4 * cycle_length);
        params.loop_count = random_below(random, 5);
        params.loop_start = soft + random_below(random, cycle_length);
        params.loop_end = params.loop_start + soft + random_below(random, cycle_length);
        params.loop_fade_frames = soft;
        params.one_shot = random_once_in(random, 4);
        params.matrix = params.buffer == trigger->sounds[0] ? trigger->maps[random_below(random, 2)] : NULL;
    }
    return params;
}

static void start_one(struct trigger *trigger, uint32_t index) {
    const rcore_voice_params_t params = any_sound(trigger, index);
    rcore_voice_t voice = rcore_voice_acquire(trigger->core);
    if (voice == 0) {
        return;
    }
    if (rcore_post_start(trigger->queue, voice, &params, any_time(trigger)) == RCORE_OK) {
        // The core releases one-shot voices on its own.
        trigger->voices[index] = params.one_shot ? 0 : voice;
        trigger->started += 1;
        atomic_store(&trigger->shared[trigger->number * own_voices + index], voice);
    } else {
        SOAK_EXPECT(rcore_voice_release(trigger->core, voice) == RCORE_OK);
    }
}

// Starts a curve of any parameter. If all curve slots are in use, a straight ramp must be accepted
// instead.
static rcore_status_t curve_one(struct trigger *trigger, rcore_voice_t voice, uint32_t ramp, uint64_t when) {
    struct random *random = &trigger->random;
    const rcore_parameter_t parameter = (rcore_parameter_t)random_below(random, RCORE_PARAMETER_INPUT_GAIN + 1);
    const rcore_curve_t curve = (rcore_curve_t)random_below(random, RCORE_CURVE_S + 1);
    const bool speed = parameter == RCORE_PARAMETER_VOICE_SPEED;
    const float value =
        random_once_in(random, 8) ? 0.0f : random_float(random, speed ? 0.5f : -1.0f, speed ? 2.0f : 1.0f);
    const uint64_t of = parameter <= RCORE_PARAMETER_VOICE_SPEED  ? voice
                        : parameter == RCORE_PARAMETER_INPUT_GAIN ? random_below(random, 2)
                                                                  : random_below(random, buses);
    const rcore_status_t status = rcore_post_curve(trigger->queue, parameter, of, value, curve, ramp, when);
    return status == RCORE_FULL ? rcore_post_curve(trigger->queue, parameter, of, value, RCORE_CURVE_LINEAR, ramp, when)
                                : status;
}

// Posts a command to any bus or send.
static rcore_status_t command_mixer(struct trigger *trigger) {
    struct random *random = &trigger->random;
    const uint32_t ramp = soft + random_below(random, 3000), bus = random_below(random, buses);
    const uint64_t when = any_time(trigger);
    switch (random_below(random, 5)) {
    case 0:
        return rcore_post_bus_gain(trigger->queue, bus, random_float(random, 0.0f, 1.0f), ramp, when);
    case 1:
        return rcore_post_bus_pan(trigger->queue, bus, random_float(random, -1.0f, 1.0f), ramp, when);
    case 2:
        return rcore_post_bus_mute(trigger->queue, bus, random_once_in(random, 3), ramp, when);
    case 3:
        return rcore_post_bus_solo(trigger->queue, bus, random_once_in(random, 4), ramp, when);
    default:
        return rcore_post_send_level(trigger->queue, random_below(random, sends), random_float(random, 0.0f, 0.5f),
                                     ramp, when);
    }
}

// Posts a command to any voice of any trigger, ended or not.
static void command_one(struct trigger *trigger) {
    struct random *random = &trigger->random;
    const rcore_voice_t voice = atomic_load(&trigger->shared[random_below(random, ntriggers * own_voices)]);
    const uint32_t ramp = soft + random_below(random, 3000);
    const uint64_t when = any_time(trigger);
    rcore_queue_t *queue = trigger->queue;
    rcore_status_t status = RCORE_OK;
    switch (random_below(random, 16)) {
    case 0:
        status = rcore_post_stop(queue, voice, ramp, when);
        break;
    case 1:
        status = rcore_post_pause(queue, voice, ramp, when);
        break;
    case 2:
    case 3:
        status = rcore_post_resume(queue, voice, ramp, when);
        break;
    case 4:
        status = rcore_post_gain(queue, voice, random_float(random, -1.0f, 1.0f), ramp, when);
        break;
    case 5:
        status = rcore_post_pan(queue, voice, random_float(random, -1.0f, 1.0f), ramp, when);
        break;
    case 6:
        status = rcore_post_speed(queue, voice, random_float(random, 0.5f, 2.0f), ramp, when);
        break;
    case 7:
        status = rcore_post_leave_loop(queue, voice, when);
        break;
    case 8:
        status = command_mixer(trigger);
        break;
    case 9:
        status = rcore_post_seek(queue, voice, random_below(random, 4 * cycle_length), ramp, when);
        break;
    case 10:
        status = rcore_post_input_gain(queue, random_below(random, 2), random_float(random, 0.0f, 1.0f), ramp, when);
        break;
    default:
        status = curve_one(trigger, voice, ramp, when);
        break;
    }
    SOAK_EXPECT(status != RCORE_NO_MEMORY && status != RCORE_NO_SLOT);
}

void trigger_tidy_up(struct trigger *trigger, uint32_t index) {
    const rcore_voice_t voice = trigger->voices[index];
    if (voice != 0 && rcore_voice_state(trigger->core, voice) == RCORE_VOICE_ENDED) {
        SOAK_EXPECT(rcore_voice_end_reason(trigger->core, voice) != RCORE_END_NONE);
        SOAK_EXPECT(rcore_voice_release(trigger->core, voice) == RCORE_OK);
        SOAK_EXPECT(rcore_voice_release(trigger->core, voice) == RCORE_STALE);
        trigger->voices[index] = 0;
    }
}

void trigger_turn(struct trigger *trigger) {
    struct random *random = &trigger->random;
    const bool transaction = random_once_in(random, 6);
    rcore_voice_t before[own_voices];
    memcpy(before, trigger->voices, sizeof before);
    if (transaction) {
        SOAK_EXPECT(rcore_transaction_begin(trigger->queue) == RCORE_OK);
    }
    for (uint32_t index = 0; index < own_voices; index++) {
        tap_fill(&trigger->taps[index]);
        if (!transaction) {
            trigger_tidy_up(trigger, index);
            before[index] = trigger->voices[index];
        }
        if (trigger->voices[index] == 0 && random_once_in(random, 4)) {
            start_one(trigger, index);
        }
        if (random_once_in(random, 3)) {
            command_one(trigger);
        }
    }
    if (!transaction) {
        return;
    }
    if (random_once_in(random, 3) || rcore_transaction_commit(trigger->queue) != RCORE_OK) {
        rcore_transaction_cancel(trigger->queue);
        for (uint32_t index = 0; index < own_voices; index++) {
            // The transaction was canceled: none of its voices started.
            if (trigger->voices[index] != before[index]) {
                SOAK_EXPECT(rcore_voice_release(trigger->core, trigger->voices[index]) == RCORE_OK);
                trigger->voices[index] = before[index];
            }
        }
    }
}
