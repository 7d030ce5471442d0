/// A client's audio thread.
#include "fake.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct timespec later(struct timespec time, double milliseconds) {
    int64_t nanoseconds = time.tv_nsec + (int64_t)(milliseconds * 1e6);
    time.tv_sec += nanoseconds / 1000000000;
    time.tv_nsec = nanoseconds % 1000000000;
    return time;
}

/// Before a cycle, marks the client's ports as not requested, so that jack_port_get_buffer fills
/// their buffers again.
static void reset_requests(const jack_client_t *client) {
    for (uint32_t i = 0; i < fake.nports; i++) {
        fake.ports[i]->was_asked = fake.ports[i]->was_asked && fake.ports[i]->owner != client;
    }
}

/// After a cycle, counts whether a requested output buffer holds garbage (values that are not
/// finite) or sound.
static void inspect_outputs(const jack_client_t *client, uint32_t nframes) {
    bool sounds = false, is_garbage = false;
    for (uint32_t i = 0; i < fake.nports; i++) {
        const jack_port_t *port = fake.ports[i];
        if (port->owner != client || !port->exists || !port->was_asked || !(port->flags & JackPortIsOutput) ||
            strcmp(port->type, JACK_DEFAULT_AUDIO_TYPE) != 0) {
            continue;
        }
        const float *frames = port->room + MAX_FRAMES - nframes;
        for (uint32_t frame = 0; frame < nframes; frame++) {
            is_garbage = is_garbage || !isfinite(frames[frame]);
            sounds = sounds || frames[frame] != 0;
        }
    }
    fake.garbage += is_garbage;
    fake.sounding += sounds;
}

void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t nframes) {
    VISIT(port_get_buffer, NULL);
    fake_lock();
    float *frames = NULL;
    if (port == NULL || !port->exists || port->room == NULL) {
        fake_note_misuse("the port is gone", "port_get_buffer");
    } else if (visit.way < 0 && !fake.buffers_are_null && nframes <= MAX_FRAMES) {
        frames = port->room + MAX_FRAMES - nframes;
        for (uint32_t i = 0; i < nframes && !port->was_asked; i++) {
            frames[i] = port->flags & JackPortIsOutput ? NAN : 0.25F;
        }
        port->was_asked = true;
    }
    fake_unlock();
    return frames;
}

static void apply_cycle_rules(void) {
    for (uint32_t i = 0; i < fake.nrules; i++) {
        rule_t rule = fake.rules[i];
        if (!rule.at_cycle || (rule.nth != 0 && rule.nth != fake.cycles)) {
            continue;
        }
        fake.fired++;
        fake_unlock();
        fake_act(rule.action);
        fake_lock();
    }
}

static void run_one(jack_client_t *client) {
    uint32_t nframes = fake.next_frames ? fake.next_frames - 1 : fake.period;
    fake.next_frames = 0;
    reset_requests(client);
    fake_sync(client);
    JackProcessCallback process = client->process;
    void *argument = client->process_arg;
    fake_unlock();
    if (process) {
        process(nframes, argument);
    }
    fake_lock();
    inspect_outputs(client, nframes);
    fake_advance(client, nframes);
    client->cycles++;
    fake.cycles++;
    apply_cycle_rules();
}

static bool must_continue(const jack_client_t *client) {
    return !client->cycle_ends && (!client->is_dead || client->shutdown & SHUTDOWN_PROCESS);
}

static void *run_cycles(void *argument) {
    jack_client_t *client = argument;
    fake_role = ROLE_CYCLE;
    if (client->thread_init) {
        client->thread_init(client->thread_init_arg);
    }
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    fake_lock();
    while (must_continue(client)) {
        next = later(next, fake.freewheels ? 0 : fake.pace);
        while (must_continue(client) && pthread_cond_timedwait(&fake.changed, &fake.lock, &next) != ETIMEDOUT) {
            continue;
        }
        if (must_continue(client)) {
            run_one(client);
        }
    }
    unsigned shutdown = client->is_dead && !client->cycle_ends ? client->shutdown : 0;
    fake_unlock();
    if (shutdown & SHUTDOWN_CYCLE) {
        fake_notify_end(client, SHUTDOWN_INFO | SHUTDOWN_PLAIN);
    }
    fake_lock();
    fake.threads--;
    pthread_cond_broadcast(&fake.changed);
    fake_unlock();
    return NULL;
}

bool fake_start_cycle(jack_client_t *client) {
    fake_lock();
    client->cycle_ends = false;
    bool starts = fake_create_thread(&client->cycle, run_cycles, client) == 0;
    client->has_cycle = starts;
    fake.threads += starts;
    fake_unlock();
    return starts;
}

void fake_end_cycle(jack_client_t *client) {
    fake_lock();
    bool has_cycle = client->has_cycle;
    client->has_cycle = false;
    client->cycle_ends = true;
    pthread_cond_broadcast(&fake.changed);
    fake_unlock();
    if (has_cycle) {
        pthread_join(client->cycle, NULL);
    }
}
