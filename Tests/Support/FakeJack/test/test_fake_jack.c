/// Tests that the fake detects an app that does what libjack forbids, and one that leaves its
/// buffers unwritten.
#include "../fake_jack.h"
#include "expect.h"

#include <jack/jack.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

static long count(const char *name) {
    char report[16384], line[64];
    fake_jack_report(report, sizeof report);
    snprintf(line, sizeof line, "\n%s ", name);
    const char *found = strstr(report, line);
    return found != NULL ? atol(found + strlen(line)) : -1;
}

static jack_port_t *out;

static int leave_garbage(jack_nframes_t nframes, void *argument) {
    (void)argument;
    jack_port_get_buffer(out, nframes);
    return 0;
}

static int stay_silent(jack_nframes_t nframes, void *argument) {
    (void)argument;
    memset(jack_port_get_buffer(out, nframes), 0, nframes * sizeof(float));
    return 0;
}

static int ask_within(jack_nframes_t nframes, void *argument) {
    jack_free(jack_get_ports(argument, NULL, NULL, 0));
    return stay_silent(nframes, NULL);
}

/// Runs a client until it has had some cycles.
static void run(const char *script, JackProcessCallback process) {
    EXPECT(fake_jack_begin(script) == 0);
    jack_client_t *client = jack_client_open("test", JackNoStartServer, NULL);
    EXPECT(client != NULL);
    out = jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    EXPECT(jack_set_process_callback(client, process, client) == 0);
    EXPECT(jack_activate(client) == 0);
    while (count("cycles") < 5) {
        sched_yield();
    }
    EXPECT(jack_client_close(client) == 0);
    EXPECT(count("threads") == 0 && count("ports") == 0);
}

TEST(buffers_left_as_they_were) {
    run("pace 0.1", stay_silent);
    EXPECT_EQUAL(count("garbage"), 0);
    EXPECT_EQUAL(count("misuse"), 0);
    run("pace 0.1", leave_garbage);
    EXPECT(count("garbage") >= 5);
}

TEST(questions_within_a_cycle) {
    run("plug system 2 0\npace 0.1", ask_within);
    EXPECT(count("misuse") >= 5);
    EXPECT_EQUAL(count("lists"), 0);
}

/// Sets the latency of the client's port in its latency callback, as jackd2 expects.
static void set_latency(jack_latency_callback_mode_t mode, void *argument) {
    (void)argument;
    jack_latency_range_t range = {.min = 64, .max = 64};
    jack_port_set_latency_range(out, mode, &range);
}

static long misuse_of_latencies(const char *script) {
    EXPECT(fake_jack_begin(script) == 0);
    jack_client_t *client = jack_client_open("test", JackNoStartServer, NULL);
    EXPECT(client != NULL);
    out = jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    set_latency(JackCaptureLatency, NULL);
    EXPECT_EQUAL(count("misuse"), 0);
    EXPECT(jack_set_latency_callback(client, set_latency, NULL) == 0);
    EXPECT(jack_activate(client) == 0);
    EXPECT(jack_recompute_total_latencies(client) == 0); // returns once the client was notified
    EXPECT(jack_client_close(client) == 0);
    return count("misuse");
}

TEST(latencies_on_the_notification_thread) {
    EXPECT_EQUAL(misuse_of_latencies(""), 0);
    EXPECT(misuse_of_latencies("pipewire") > 0);
}

TEST(calls_on_a_closed_client) {
    EXPECT_EQUAL(fake_jack_begin(""), 0);
    jack_client_t *client = jack_client_open("test", JackNoStartServer, NULL);
    EXPECT_EQUAL(fake_jack_begin(""), -1); // a client is open
    EXPECT_EQUAL(jack_client_close(client), 0);
    EXPECT_EQUAL(count("misuse"), 0);
    jack_activate(client);
    EXPECT_EQUAL(count("misuse"), 1);
}

TEST(raised_timer_slack) {
    int slack = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 10UL * 1000 * 1000);
    run("pace 0.1", stay_silent);
    EXPECT_EQUAL(count("misuse"), 2); // opening and activating
    prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
    run("pace 0.1", stay_silent);
    EXPECT_EQUAL(count("misuse"), 0);
}

TEST(lists_that_are_kept) {
    EXPECT_EQUAL(fake_jack_begin("plug system 2 0"), 0);
    jack_client_t *client = jack_client_open("test", JackNoStartServer, NULL);
    const char **names = jack_get_ports(client, NULL, NULL, 0);
    EXPECT_EQUAL(count("lists"), 1);
    jack_free(names);
    EXPECT_EQUAL(count("lists"), 0);
    EXPECT_EQUAL(jack_client_close(client), 0);
}

TEST(scripts) {
    EXPECT_EQUAL(fake_jack_begin("fail client_open 2 0\n\n# nothing\nfail no_such 1"), 4);
    EXPECT_EQUAL(fake_jack_begin("fail client_open 1 0"), 0);
    EXPECT(jack_client_open("test", JackNoStartServer, NULL) == NULL);
    EXPECT_EQUAL(count("fired"), 1);
}

int main(void) {
    RUN(buffers_left_as_they_were);
    RUN(questions_within_a_cycle);
    RUN(latencies_on_the_notification_thread);
    RUN(calls_on_a_closed_client);
    RUN(raised_timer_slack);
    RUN(lists_that_are_kept);
    RUN(scripts);
    return test_result();
}
