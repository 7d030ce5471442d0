/// Messages of an arbiter that are malformed, or that lie. The session must neither crash nor hang,
/// nor lose a descriptor; at the worst, it ends the connection.
///
/// `test_session_messages COUNT [SEED]` sends that many mutated packets.
#define _GNU_SOURCE
#include "expect.h"
#include "gate_object.h"
#include "session_socket.h"
#include "session_state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static unsigned long count = 20000;
static uint64_t seed = 1;

static uint32_t next_random(uint32_t below) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % below);
}

/// What an arbiter sends. The tests add replies.
static const char *const corpus[] = {
    "{\"application\":{\"id\":4711,\"life\":\"foreground\",\"recordPermission\":\"undetermined\",\"isInputMuted\":"
    "false}}",
    "{\"devices\":[{\"uid\":\"a\",\"ports\":[{\"uid\":\"a:out\",\"type\":\"hdmi\",\"channels\":8}]}]}",
    "{\"hardware\":{\"ioBufferDuration\":0.005,\"sampleRate\":44100}}",
    "{\"status\":{\"session\":{\"id\":5,\"app\":4711,\"activity\":{\"state\":\"waiting\",\"mayResume\":true}},"
    "\"standing\":"
    "{\"reasons\":[{\"kind\":\"interrupted\",\"by\":8}]},\"isInputAvailable\":true,\"volume\":1,"
    "\"isOtherAudioPlaying\":true,\"secondaryAudioShouldBeSilenced\":true,\"isInCall\":true},\"grant\":4}",
    "{\"notice\":{\"decision\":40,\"session\":5,\"effect\":\"interruptionBegan\",\"reason\":\"default\",\"rule\":\"ACT-"
    "4\","
    "\"by\":8}}",
    "{\"notice\":{\"decision\":41,\"session\":5,\"effect\":\"interruptionEnded\",\"shouldResume\":true,\"by\":"
    "18446744073709551615}}",
    "{\"notice\":{\"session\":5,\"effect\":\"outputVolumeChanged\",\"value\":1e999}}",
    "{\"notice\":{\"session\":5,\"effect\":\"routeChanged\",\"reason\":\"newDeviceAvailable\",\"previous\":{\"inputs\":"
    "[]}}}",
    "{\"notice\":{\"session\":5,\"effect\":\"remoteCommand\",\"command\":\"setRepeatMode\",\"value\":\"all\"}}",
    "{\"notice\":{\"session\":5,\"effect\":\"remoteCommand\",\"command\":\"seek\",\"value\":-1e308}}",
    "{\"status\":{\"session\":{\"id\":5},\"route\":{\"inputs\":[],\"outputs\":[{\"uid\":\"a\",\"name\":\"b\",\"type\":"
    "\"hdmi\",\"channels\":8}]},\"availableInputs\":[1,{\"uid\":null}]}}",
    "{\"ping\":12}",
    "{\"decision\":{\"number\":33,\"action\":\"activate\",\"session\":5,\"effects\":[]}}",
    "{\"reply\":7,\"session\":5}",
    "{\"reply\":7,\"error\":{\"code\":\"refused\",\"message\":\"No.\",\"refusal\":{\"code\":\"badParam\",\"rule\":"
    "\"ACT-5\","
    "\"by\":8}}}",
    "{\"reply\":7,\"welcome\":{\"version\":1,\"arbiter\":1838356115819045,\"app\":4711}}",
    "{\"reply\":7,\"long\":true}",
};

/// A session that is connected to this test.
static asession_t *make_session(int *arbiter) {
    asession_t *session = calloc(1, sizeof *session);
    int ends[2];
    EXPECT_EQUAL(ssocket_pair(ends), 0);
    session->socket = ends[0];
    *arbiter = ends[1];
    session->gate_descriptor = -1;
    session->epoll = epoll_create1(EPOLL_CLOEXEC);
    session->waiting = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    session->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    session->parser = json_tokener_new_ex(DEEPEST_JSON);
    session->settings = json_object_new_object();
    session->phase = (enum phase)(RESTORING + next_random(3));
    session->id = 5;
    session->joining_serial = session->phase == CONNECTED ? 0 : 7;
    session->keys_serial = session->phase == CONNECTED ? 7 : 0;
    gate_initialise(&session->gate);
    session->paused_memory = sgate_page_create();
    session->paused.page = session->paused_memory;
    return session;
}

/// Changes some bytes of a packet. Returns its length.
static size_t mutate(char *packet, size_t length, size_t capacity) {
    for (uint32_t changes = next_random(6); changes > 0 && length > 1; changes--) {
        const size_t place = next_random((uint32_t)length);
        switch (next_random(5)) {
        case 0:
            packet[place] = (char)next_random(256);
            break;
        case 1:
            packet[place] ^= (char)(1 << next_random(8));
            break;
        case 2: // removes
            memmove(packet + place, packet + place + 1, length - place - 1);
            length--;
            break;
        case 3: // repeats a part
            if (length + 64 < capacity) {
                const size_t part = length - place < 64 ? length - place : 64;
                memmove(packet + place + part, packet + place, length - place);
                length += part;
            }
            break;
        default: // another kind of value
            packet[place] = "{}[]\":,0-9eEtfn\\u"[next_random(17)];
        }
    }
    return length;
}

/// A descriptor such as may come with a packet, or -1: a gate, a keys page, a file, none.
static int any_descriptor(void) {
    sgate_page_t *page = NULL;
    sgate_keys_t *keys = NULL;
    int descriptor = -1;
    switch (next_random(8)) {
    case 0:
        descriptor = ssocket_gate_create(&page);
        ssocket_gate_unmap(page);
        break;
    case 1:
        descriptor = ssocket_keys_create(&keys);
        ssocket_keys_unmap(keys);
        break;
    case 2:
        descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
        break;
    default:
        break;
    }
    return descriptor;
}

static int open_descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    int found = 0;
    for (const struct dirent *entry = NULL; folder != NULL && (entry = readdir(folder)) != NULL;) {
        found++;
    }
    closedir(folder);
    return found;
}

static void send_any(asession_t *session, int arbiter) {
    char packet[4096];
    const char *text = corpus[next_random(sizeof corpus / sizeof *corpus)];
    const size_t length = mutate(memcpy(packet, text, strlen(text)), strlen(text), sizeof packet);
    const int descriptor = any_descriptor();
    (void)ssocket_send(arbiter, packet, length, descriptor);
    if (descriptor != -1) {
        close(descriptor);
    }
    receive_all(session);
    release_pages(session, false);
    // What the session has sent meanwhile.
    char sent[65536];
    while (ssocket_receive(arbiter, sent, sizeof sent, false, NULL) > 0) {
    }
}

TEST(mutated_messages_do_no_harm) {
    printf("%lu packets, seed %llu\n", count, (unsigned long long)seed);
    const int before = open_descriptors();
    for (unsigned long done = 0; done < count;) {
        int arbiter = -1;
        asession_t *session = make_session(&arbiter);
        for (int i = 0; i < 200 && session->socket != -1; i++, done++) {
            send_any(session, arbiter);
        }
        asession_state_t state;
        asession_state(session, &state);
        float samples[64] = {0}, *planes[] = {samples};
        EXPECT(asession_gate_apply(asession_gate(session), planes, 1, 64) <= 64);
        (void)asession_record_permission(session);
        asession_port_t port;
        for (uint32_t i = 0; i < 8; i++) {
            (void)asession_get_port(session, (asession_ports_t)(i % 4), i / 4, &port);
            EXPECT(memchr(port.uid, 0, sizeof port.uid) != NULL && memchr(port.type, 0, sizeof port.type) != NULL);
        }
        asession_event_t event;
        uint32_t events = 0;
        while (asession_next_event(session, &event)) {
            EXPECT(memchr(event.reason, 0, sizeof event.reason) != NULL);
            events++;
        }
        EXPECT(events <= MOST_EVENTS);
        asession_close(session);
        close(arbiter);
    }
    EXPECT_EQUAL(open_descriptors(), before);
}

TEST(events_that_are_never_read_are_bounded) {
    int arbiter = -1;
    asession_t *session = make_session(&arbiter);
    session->phase = CONNECTED;
    for (int i = 0; i < 3 * MOST_EVENTS; i++) {
        post_event(session, &(asession_event_t){.kind = ASESSION_EVENT_VOLUME_CHANGED, .value = i});
    }
    asession_event_t event;
    for (int i = 2 * MOST_EVENTS; i < 3 * MOST_EVENTS; i++) {
        EXPECT(asession_next_event(session, &event) && event.value == i);
    }
    EXPECT(!asession_next_event(session, &event));
    asession_close(session);
    close(arbiter);
}

int main(int argc, char **argv) {
    count = argc > 1 ? strtoul(argv[1], NULL, 10) : count;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : seed;
    RUN(mutated_messages_do_no_harm);
    RUN(events_that_are_never_read_are_bounded);
    return test_result();
}
