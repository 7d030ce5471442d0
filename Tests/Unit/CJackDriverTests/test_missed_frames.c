/// Frames that the server did not deliver are found by time, if nothing else shows them.
#include "missed_frames.h"

#include "expect.h"

enum { RATE = 48000, PERIOD = 256 };

/// A server and its client.
struct server {
    struct missed_frames missed;
    struct cycle_start cycle;
    /// The time at which the next cycle is due, in frames.
    double due;
    /// Frames that the client has processed.
    uint64_t time;
    /// Gaps found, and the frames in them.
    uint32_t gaps;
    uint64_t found;
    /// The frame before which the last one is.
    uint64_t place;
};

static struct server new_server(void) {
    return (struct server){.cycle = {.nframes = PERIOD, .sample_rate = RATE}, .due = 1e6};
}

/// Runs a cycle `late` microseconds after it was due.
static void cycle(struct server *server, double late) {
    server->cycle.time = (uint64_t)(server->due * 1e9 / RATE + late * 1e3);
    const uint64_t frames = missed_frames_add(&server->missed, &server->cycle, server->time);
    if (frames > 0) {
        server->gaps++;
        server->found += frames;
        server->place = server->missed.begin;
    }
    server->time += server->cycle.nframes;
    server->cycle.frame += server->cycle.nframes;
    server->due += server->cycle.nframes;
}

static void punctual(struct server *server, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        cycle(server, (double)(i * 7 % 5) * 15);
    }
}

/// The driver of the server is late: its clock and its schedule go on later, its counter does not.
static void delay_driver(struct server *server, double frames) { server->due += frames; }

/// The client is late: the server counts its cycles without it.
static void skip(struct server *server, uint32_t cycles) {
    server->cycle.frame += cycles * server->cycle.nframes;
    server->due += (double)cycles * server->cycle.nframes;
}

TEST(punctual_cycles_miss_nothing) {
    struct server server = new_server();
    punctual(&server, 10000);
    EXPECT_EQUAL(server.gaps, 0);
    EXPECT(!server.missed.is_pending);
}

TEST(a_late_driver_is_found_by_time) {
    struct server server = new_server();
    punctual(&server, 1000);
    const uint64_t place = server.time;
    delay_driver(&server, 14117);
    server.cycle.xruns = 1;
    cycle(&server, -165); // as with jackd's dummy driver
    punctual(&server, 100);
    EXPECT_EQUAL(server.gaps, 1);
    EXPECT(server.found >= 14115 && server.found <= 14119);
    EXPECT_EQUAL(server.place, place);
    // Nothing is reported twice.
    punctual(&server, 10000);
    EXPECT_EQUAL(server.gaps, 1);
}

/// Less than a period counts only if the server reports an xrun, which may come some cycles later.
TEST(a_short_loss_needs_a_report) {
    for (uint32_t report = 0; report <= 4; report++) {
        struct server server = new_server();
        punctual(&server, 100);
        delay_driver(&server, 89);
        punctual(&server, report);
        server.cycle.xruns += report < 4;
        punctual(&server, 50);
        EXPECT_EQUAL(server.gaps, report < 4);
        EXPECT(report == 4 || (server.found >= 87 && server.found <= 91));
    }
    struct server server = new_server();
    punctual(&server, 100);
    delay_driver(&server, PERIOD + 10);
    punctual(&server, 50);
    EXPECT_EQUAL(server.gaps, 1);
    EXPECT(server.found >= PERIOD + 8 && server.found <= PERIOD + 12);
}

TEST(skipped_cycles_are_exact) {
    struct server server = new_server();
    punctual(&server, 100);
    const uint64_t place = server.time;
    skip(&server, 10);
    cycle(&server, 400);
    punctual(&server, 50);
    EXPECT_EQUAL(server.gaps, 1);
    EXPECT_EQUAL(server.found, 10 * PERIOD);
    EXPECT_EQUAL(server.place, place);
}

/// The client reads the counter of the next cycle: the cycle after it corrects that.
TEST(a_counter_that_is_ahead_for_a_cycle_misses_nothing) {
    struct server server = new_server();
    punctual(&server, 100);
    server.cycle.frame += PERIOD;
    cycle(&server, PERIOD * 1e6 / RATE);
    server.cycle.frame -= PERIOD;
    punctual(&server, 100);
    EXPECT_EQUAL(server.gaps, 0);
    EXPECT(!server.missed.is_pending);
}

/// A server that was late and catches up has lost nothing. Neither has one whose thread wakes up
/// late at times.
TEST(a_server_that_catches_up_misses_nothing) {
    struct server server = new_server();
    punctual(&server, 100);
    for (int i = 0; i < 13; i++) {
        cycle(&server, (14 - i) * PERIOD * 1e6 / RATE);
    }
    EXPECT(server.missed.is_pending);
    punctual(&server, 100);
    for (int i = 0; i < 1000; i++) {
        cycle(&server, i % 3 == 0 ? 4000 : 20);
    }
    punctual(&server, 1);
    EXPECT_EQUAL(server.gaps, 0);
    EXPECT(!server.missed.is_pending);
}

/// Another client is late: the server reports an xrun.
TEST(an_xrun_of_another_client_misses_nothing) {
    struct server server = new_server();
    for (int i = 0; i < 100; i++) {
        punctual(&server, 20);
        server.cycle.xruns++;
    }
    EXPECT_EQUAL(server.gaps, 0);
}

/// Other versions of jackd add microseconds to their counter after an xrun.
TEST(a_counter_that_jumps_wrongly_is_corrected_by_time) {
    struct server server = new_server();
    punctual(&server, 100);
    delay_driver(&server, 14400);
    server.cycle.frame += 299776;
    server.cycle.xruns++;
    punctual(&server, 100);
    EXPECT_EQUAL(server.gaps, 1);
    EXPECT(server.found >= 14398 && server.found <= 14402);
}

/// The clock of the device is 300 ppm slower or faster than the computer's.
TEST(drift_is_no_loss) {
    for (int sign = -1; sign <= 1; sign += 2) {
        struct server server = new_server();
        for (int i = 0; i < 200000; i++) {
            delay_driver(&server, sign * PERIOD * 0.0003);
            cycle(&server, i % 4 * 20);
            server.cycle.xruns += i % 1000 == 0;
        }
        EXPECT_EQUAL(server.gaps, 0);
    }
}

/// A new period or sample rate has a new schedule.
TEST(another_format_misses_nothing) {
    struct server server = new_server();
    punctual(&server, 100);
    server.cycle.nframes = 1024;
    server.cycle.frame += 5000;
    delay_driver(&server, 9000);
    punctual(&server, 100);
    server.cycle.sample_rate = 44100;
    server.due = server.due * 44100 / RATE + 70000;
    EXPECT_EQUAL(server.gaps, 0);
    missed_frames_reset(&server.missed);
    delay_driver(&server, 100000);
    cycle(&server, 0);
    EXPECT(!server.missed.is_pending);
}

/// Losses that follow each other are all counted, and the observation ends.
TEST(many_losses_are_counted_in_total) {
    struct server server = new_server();
    punctual(&server, 100);
    for (int i = 0; i < 200; i++) {
        skip(&server, 1);
        punctual(&server, 3);
        delay_driver(&server, 500);
        server.cycle.xruns++;
        punctual(&server, 3);
    }
    punctual(&server, 100);
    const uint64_t lost = 200 * (PERIOD + 500);
    EXPECT(server.found > lost - 1500 && server.found < lost + 1500);
    EXPECT(!server.missed.is_pending);
}

/// The counter has 32 bits.
TEST(the_counter_may_overflow) {
    struct server server = new_server();
    server.cycle.frame = UINT32_MAX - 50 * PERIOD;
    punctual(&server, 50);
    skip(&server, 3);
    for (int i = 0; i < 20; i++) {
        cycle(&server, 100);
    }
    EXPECT_EQUAL(server.found, 3 * PERIOD);
}

int main(void) {
    RUN(punctual_cycles_miss_nothing);
    RUN(a_late_driver_is_found_by_time);
    RUN(a_short_loss_needs_a_report);
    RUN(skipped_cycles_are_exact);
    RUN(a_counter_that_is_ahead_for_a_cycle_misses_nothing);
    RUN(a_server_that_catches_up_misses_nothing);
    RUN(an_xrun_of_another_client_misses_nothing);
    RUN(a_counter_that_jumps_wrongly_is_corrected_by_time);
    RUN(drift_is_no_loss);
    RUN(another_format_misses_nothing);
    RUN(many_losses_are_counted_in_total);
    RUN(the_counter_may_overflow);
    return test_result();
}
