/// What jackd and PipeWire say of their transport is converted into what the core expects.
#include "transport_reading.h"

#include "expect.h"
#include <float.h>
#include <limits.h>
#include <string.h>

enum { RATE = 48000 };

/// Ticks per beat of a leader.
static const double leader_ticks = 1920;

/// Who says where the beats are.
typedef enum leader { NOBODY, OTHER, OURS } leader_t;

/// A server, its leader and the client that reads it. Both servers were measured.
struct server {
    bool is_pipewire;
    uint32_t nframes;
    leader_t leader;
    double tempo;
    uint32_t beats_per_bar;
    /// The beat of transport frame 0.
    double first_beat;
    /// What `leader` OTHER gives with its beats.
    uint32_t bbt_offset;
    bool is_hung;
    /// The position as it is shown, and its state.
    uint32_t frame;
    jack_transport_state_t state;
    uint32_t time;
    /// The period at `frame` has been rolled (PipeWire).
    bool has_rolled;
    /// The first cycle after a jump while stopped (jackd).
    bool has_no_beats;
    /// The leader's beats that the next cycle shows.
    jack_position_t given;
    struct transport_reading reading;
    /// The last report.
    rcore_server_transport_t report;
};

/// Returns the frame that rolls next, or rolls now.
static uint32_t heard(const struct server *server) {
    return server->frame + (server->has_rolled && server->state != JackTransportRolling ? server->nframes : 0);
}

static double beat_at(const struct server *server, uint32_t frame) {
    return server->first_beat + (double)frame * server->tempo / (60.0 * RATE);
}

static rcore_server_transport_t core_beats(const struct server *server, double beat) {
    const double bar = floor(beat / server->beats_per_bar);
    return (rcore_server_transport_t){
        .has_beats = true,
        .beat = beat,
        .beats_per_minute = server->tempo,
        .bar = (int32_t)bar,
        .bar_begin = bar * server->beats_per_bar,
        .beats_per_bar = server->beats_per_bar,
        .beat_unit = 8,
    };
}

/// PipeWire keeps the beat as a number, and nothing else of a position.
static void pass_through_pipewire(jack_position_t *position) {
    const double beats_per_bar = position->beats_per_bar;
    const double beat =
        (position->bar - 1) * beats_per_bar + (position->beat - 1) + position->tick / position->ticks_per_beat;
    const bool has_offset = ((unsigned)position->valid & JackBBTFrameOffset) != 0;
    const double bar = floor(beat / beats_per_bar), whole = floor(beat - bar * beats_per_bar);
    position->valid = (jack_position_bits_t)(JackPositionBBT | (has_offset ? JackBBTFrameOffset : 0));
    position->bar = (int32_t)bar + 1;
    position->beat = (int32_t)whole + 1;
    position->tick = (int32_t)((beat - bar * beats_per_bar - whole) * 1920);
    position->bar_start_tick = bar * beats_per_bar * 1920;
    position->ticks_per_beat = 1920;
    position->bbt_offset = has_offset ? position->bbt_offset : 0;
    memset(&position->tick_double, 0xaa, sizeof position->tick_double);
}

static jack_position_t other_beats(const struct server *server, double beat) {
    const rcore_server_transport_t beats = core_beats(server, beat);
    const double whole = floor(beat - beats.bar_begin), tick = (beat - beats.bar_begin - whole) * leader_ticks;
    return (jack_position_t){
        .valid = (jack_position_bits_t)(JackPositionBBT | JackTickDouble |
                                        (server->bbt_offset > 0 ? JackBBTFrameOffset : 0)),
        .bar = beats.bar + 1,
        .beat = (int32_t)whole + 1,
        .tick = (int32_t)tick,
        .tick_double = tick,
        .bar_start_tick = beats.bar_begin * leader_ticks,
        .beats_per_bar = (float)server->beats_per_bar,
        .beat_type = 8,
        .ticks_per_beat = leader_ticks,
        .beats_per_minute = server->tempo,
        .bbt_offset = server->bbt_offset,
    };
}

/// Asks the leader for the beats of a frame: on jackd, that of the next cycle, on PipeWire that of
/// this one.
static void ask_leader(struct server *server, uint32_t frame) {
    jack_position_t *given = &server->given;
    if (server->is_hung) {
        return;
    }
    if (server->leader == NOBODY) {
        memset(given, 0xaa, sizeof *given);
        given->valid = (jack_position_bits_t)0;
    } else if (server->leader == OTHER) {
        *given = other_beats(server, beat_at(server, frame - server->bbt_offset));
    } else {
        // As the driver does it.
        const bool is_next = server->is_pipewire && server->state == JackTransportRolling;
        const uint32_t from = is_next               ? frame + server->nframes
                              : server->is_pipewire ? transport_core_frame(&server->reading, frame)
                                                    : frame;
        const uint32_t distance = server->is_pipewire && from != frame ? 1 : 0;
        const rcore_server_transport_t beats = core_beats(server, beat_at(server, from - distance));
        transport_write_beats(given, &beats, distance, server->is_pipewire);
    }
    if (server->is_pipewire && server->leader != NOBODY) {
        pass_through_pipewire(given);
    }
}

/// Shows the client a cycle. What is not valid is garbage.
static void show(struct server *server) {
    struct transport_cycle cycle = {
        .state = server->state,
        .position = server->given,
        .nframes = server->nframes,
        .time = server->time,
        .sample_rate = RATE,
        .is_pipewire = server->is_pipewire,
    };
    if (server->has_no_beats) {
        memset(&cycle.position, 0xff, sizeof cycle.position);
        cycle.position.valid = (jack_position_bits_t)0;
    }
    cycle.position.frame = server->frame;
    transport_read(&server->reading, &cycle);
    server->report = server->reading.report;
}

/// Ends a cycle that began in the state.
static void advance(struct server *server) {
    const bool rolls = server->state == JackTransportRolling;
    server->time += server->nframes;
    if (server->is_pipewire) {
        if (rolls || server->state == JackTransportStarting) {
            ask_leader(server, server->frame);
        }
        server->has_rolled |= rolls;
    } else {
        server->frame += rolls ? server->nframes : 0;
        ask_leader(server, server->frame);
        server->has_no_beats = false;
    }
}

static void cycle(struct server *server, jack_transport_state_t state) {
    if (state == JackTransportRolling && server->has_rolled) {
        server->frame += server->nframes;
        server->has_rolled = false;
    }
    server->state = state;
    show(server);
    advance(server);
}

/// Moves the transport, before the next cycle, which is not one that rolls.
static void locate(struct server *server, uint32_t frame) {
    const bool rolled = server->state == JackTransportRolling;
    server->frame = frame;
    server->has_rolled = false;
    if (!server->is_pipewire && rolled) {
        ask_leader(server, frame);
    }
    server->has_no_beats = !server->is_pipewire && !rolled;
}

/// Runs the first cycle after a jump to a stopped transport: PipeWire's leader is asked in it.
static void show_jump(struct server *server, jack_transport_state_t state) {
    server->state = state;
    show(server);
    if (server->is_pipewire && state == JackTransportStopped) {
        ask_leader(server, server->frame);
    }
    advance(server);
}

static struct server new_server(bool is_pipewire, leader_t leader) {
    struct server server = {
        .is_pipewire = is_pipewire,
        .nframes = 128,
        .leader = leader,
        .tempo = 120.7,
        .beats_per_bar = 4,
        .time = UINT32_MAX - 1000,
    };
    ask_leader(&server, 0);
    return server;
}

/// Expects the beats of the report's frame.
static void expect_beats(const struct server *server, double beat) {
    const rcore_server_transport_t *report = &server->report;
    EXPECT_EQUAL(report->has_beats, server->leader != NOBODY);
    if (!report->has_beats) {
        return;
    }
    const double late = beat - report->beat, slack = server->leader == OURS ? 2e-7 : 1e-8;
    EXPECT_NEAR(report->beat_resolution, server->is_pipewire ? 2.0 / 1920 : 0, 1e-12);
    EXPECT(late >= -slack && late < report->beat_resolution + slack);
    EXPECT_EQUAL(report->bar, floor(report->beat / server->beats_per_bar + 1e-6));
    EXPECT_NEAR(report->bar_begin, (double)report->bar * server->beats_per_bar, 1e-9);
    EXPECT_EQUAL(report->beats_per_bar, server->beats_per_bar);
    EXPECT_EQUAL(report->beat_unit, 8);
    EXPECT_NEAR(report->beats_per_minute, server->tempo, 0);
}

/// Runs cycles, and expects that each is reported as it is heard.
static void run(struct server *server, jack_transport_state_t state, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        const bool moves = server->has_rolled && state == JackTransportRolling;
        const uint32_t frame = server->frame + (moves || server->has_rolled ? server->nframes : 0);
        cycle(server, state);
        EXPECT_EQUAL(server->report.frame, frame);
        EXPECT_EQUAL(server->report.is_rolling, state == JackTransportRolling);
        EXPECT_EQUAL(server->report.is_starting, state == JackTransportStarting);
        EXPECT(!server->report.is_after_gap);
        expect_beats(server, beat_at(server, frame));
    }
}

/// Runs `body` with servers of both kinds, all leaders, and several tempi, meters and periods.
static void with_servers(void (*body)(struct server server)) {
    static const struct {
        double tempo;
        uint32_t beats_per_bar, nframes;
    } formats[] = {{120.7, 4, 128}, {60, 3, 16}, {287.3, 7, 1024}, {33.3, 5, 64}, {1000, 1, 2048}};
    for (int i = 0; i < (int)(sizeof formats / sizeof *formats) * 6; i++) {
        struct server server = new_server(i % 2 == 1, (leader_t)(i / 2 % 3));
        server.tempo = formats[i / 6].tempo;
        server.beats_per_bar = formats[i / 6].beats_per_bar;
        server.nframes = formats[i / 6].nframes;
        ask_leader(&server, 0);
        const unsigned before = expect_failures;
        body(server);
        if (expect_failures > before) {
            fprintf(stderr, "  %s, leader %d, %g bpm\n", server.is_pipewire ? "PipeWire" : "jackd", server.leader,
                    server.tempo);
        }
    }
}

static void stop_and_start(struct server server) {
    run(&server, JackTransportStopped, 3);
    run(&server, JackTransportStarting, 2);
    run(&server, JackTransportRolling, 500);
    for (uint32_t i = 0; i < 20; i++) {
        run(&server, JackTransportStopped, 1 + i % 4);
        run(&server, JackTransportStarting, i % 3);
        run(&server, JackTransportRolling, 1 + i % 5);
    }
    // Clients that start a transport that rolls: PipeWire interrupts it.
    for (uint32_t i = 0; i < 5; i++) {
        run(&server, JackTransportStarting, server.is_pipewire);
        run(&server, JackTransportRolling, 1 + i);
    }
}

TEST(a_transport_that_stops_and_starts_does_not_jump) { with_servers(stop_and_start); }

static void move(struct server server) {
    run(&server, JackTransportStopped, 2);
    uint32_t target = 0;
    for (uint32_t i = 0; i < 30; i++) {
        const bool rolled = i % 2 == 1, waits = i % 3 == 0;
        run(&server, rolled ? JackTransportRolling : JackTransportStopped, 1 + i % 4);
        const rcore_server_transport_t before = server.report;
        target = target * 7919 % 4000003 + 1000003;
        locate(&server, target);
        const jack_transport_state_t state = rolled ? JackTransportStarting : JackTransportStopped;
        show_jump(&server, state);
        EXPECT(!server.report.is_rolling);
        EXPECT_EQUAL(server.report.is_starting, rolled);
        if (server.leader == NOBODY) {
            EXPECT_EQUAL(server.report.frame, target);
            EXPECT(!server.report.has_beats);
        } else {
            EXPECT_EQUAL(server.report.frame, before.frame + (rolled ? server.nframes : 0));
            EXPECT(server.report.has_beats);
        }
        // The second cycle has the new position and its beats.
        EXPECT_EQUAL(heard(&server), target);
        run(&server, state, waits);
        run(&server, JackTransportStarting, i % 5 == 0);
        run(&server, JackTransportRolling, 3);
    }
}

TEST(the_first_cycle_after_a_jump_is_held_back) { with_servers(move); }

/// Two jumps in a row: the second cycle is not held back as well.
TEST(no_more_than_one_cycle_is_held_back) {
    for (int is_pipewire = 0; is_pipewire <= 1; is_pipewire++) {
        struct server server = new_server(is_pipewire, OTHER);
        run(&server, JackTransportStopped, 3);
        locate(&server, 100000);
        show_jump(&server, JackTransportStopped);
        EXPECT_EQUAL(server.report.frame, 0);
        locate(&server, 200000);
        show_jump(&server, JackTransportStopped);
        EXPECT_EQUAL(server.report.frame, 200000);
        run(&server, JackTransportStopped, 2);
        // Back, and further back: PipeWire's beats are those of a later frame.
        locate(&server, 150000);
        show_jump(&server, JackTransportStopped);
        locate(&server, 100000);
        show_jump(&server, JackTransportStopped);
        EXPECT_EQUAL(server.report.frame, 100000);
        if (is_pipewire) {
            expect_beats(&server, beat_at(&server, 100000));
        }
        run(&server, JackTransportStopped, 2);
        locate(&server, 200000);
        show_jump(&server, JackTransportStopped);
        run(&server, JackTransportStopped, 1);
        locate(&server, 300000);
        show_jump(&server, JackTransportStopped);
        EXPECT_EQUAL(server.report.frame, 200000);
    }
}

/// A jump that begins to roll at once, as this client missed the cycles before.
static void jump_while_rolling(struct server server) {
    run(&server, JackTransportRolling, 3);
    server.time += server.nframes * 10;
    locate(&server, 777777);
    server.has_rolled = false;
    cycle(&server, JackTransportRolling);
    EXPECT_EQUAL(server.report.frame, 777777);
    EXPECT(server.report.is_rolling && !server.report.is_after_gap);
    run(&server, JackTransportRolling, 3);
    // Back, and the first roll of a transport that did not roll.
    run(&server, JackTransportStopped, 3);
    locate(&server, 1000);
    cycle(&server, JackTransportRolling);
    EXPECT_EQUAL(server.report.frame, 1000);
    EXPECT(server.report.is_rolling && !server.report.is_after_gap);
}

TEST(a_jump_that_rolls_is_reported_at_once) { with_servers(jump_while_rolling); }

/// jackd, which is moved to the frame that it showed last.
TEST(a_jump_to_the_shown_frame_is_not_taken_for_a_stop) {
    struct server server = new_server(false, OTHER);
    run(&server, JackTransportRolling, 5);
    locate(&server, server.frame - server.nframes);
    show_jump(&server, JackTransportStarting);
    run(&server, JackTransportStarting, 2);
    run(&server, JackTransportRolling, 5);
}

/// jackd whose leader is killed: in the cycle in which it begins to wait, the beats are old.
static void wait_without_leader(struct server server) {
    if (server.leader == NOBODY || server.is_pipewire) {
        return;
    }
    run(&server, JackTransportRolling, 20);
    server.is_hung = true;
    cycle(&server, JackTransportStarting);
    EXPECT(server.report.has_beats && !server.report.is_rolling);
    expect_beats(&server, beat_at(&server, server.report.frame));
}

TEST(old_beats_go_on_when_the_transport_begins_to_wait) { with_servers(wait_without_leader); }

/// Whether so many missed periods are made up for: at most a quarter of a second.
static bool is_short(const struct server *server, uint32_t missed) {
    return (missed + 1) * server->nframes <= RATE / 4;
}

static void gap(struct server server) {
    run(&server, JackTransportRolling, 20);
    for (uint32_t missed = 1; missed < 40; missed += 3) {
        server.time += missed * server.nframes;
        server.frame += missed * server.nframes;
        ask_leader(&server, server.frame);
        const uint32_t frame = server.frame + (server.is_pipewire ? server.nframes : 0);
        cycle(&server, JackTransportRolling);
        EXPECT(server.report.is_after_gap == is_short(&server, missed));
        EXPECT_EQUAL(server.report.frame, frame);
        expect_beats(&server, beat_at(&server, frame));
        run(&server, JackTransportRolling, missed % 4);
    }
    // A stopped transport has no gap, nor has one that begins to roll.
    run(&server, JackTransportStopped, 2);
    server.time += 5 * server.nframes;
    run(&server, JackTransportStopped, 2);
    server.time += 5 * server.nframes;
    run(&server, JackTransportRolling, 2);
    // Nor do cycles of another period.
    server.frame += server.has_rolled ? server.nframes : 0;
    server.has_rolled = false;
    server.nframes *= 2;
    run(&server, JackTransportRolling, 3);
}

TEST(missed_cycles_are_a_gap) { with_servers(gap); }

/// The transport stops while this client misses cycles.
static void stop_in_gap(struct server server) {
    for (uint32_t missed = 1; missed < 10; missed++) {
        run(&server, JackTransportRolling, 3);
        const uint32_t rolled = missed / 2 * server.nframes;
        server.time += missed * server.nframes;
        server.frame += rolled;
        ask_leader(&server, server.frame);
        cycle(&server, missed % 3 == 0 ? JackTransportStarting : JackTransportStopped);
        EXPECT(!server.report.is_rolling && !server.report.is_after_gap);
        EXPECT(server.report.has_beats || server.report.frame == heard(&server));
        run(&server, JackTransportStopped, 2);
    }
}

TEST(a_stop_in_a_gap_is_a_stop) { with_servers(stop_in_gap); }

/// PipeWire sometimes gives two cycles the same time.
TEST(a_stop_is_a_stop_whatever_its_time) {
    struct server server = new_server(true, OTHER);
    run(&server, JackTransportRolling, 3);
    server.time -= server.nframes;
    run(&server, JackTransportStopped, 1);
    run(&server, JackTransportRolling, 1);
    // A period of no frames is not divided by.
    server.reading.nframes = 0;
    server.frame++;
    cycle(&server, JackTransportStopped);
}

static void stop_and_start_in_gap(struct server server) {
    run(&server, JackTransportRolling, 3);
    server.time += 5 * server.nframes;
    cycle(&server, JackTransportRolling);
    EXPECT(server.report.is_after_gap == is_short(&server, 5));
    EXPECT_EQUAL(server.report.frame, 3 * server.nframes);
    // What is held back has no gap.
    locate(&server, 50000);
    show_jump(&server, JackTransportStarting);
    EXPECT(!server.report.is_after_gap);
    run(&server, JackTransportRolling, 3);
}

TEST(a_stop_and_a_start_in_a_gap_move_nothing) { with_servers(stop_and_start_in_gap); }

/// A cycle later, PipeWire's transport is at a place that it cannot have rolled to.
TEST(a_jump_in_a_gap_is_a_jump) {
    static const uint32_t jumps[] = {64, 4 * 128, 5 * 128, UINT32_MAX - 127};
    for (int i = 0; i < 4; i++) {
        struct server server = new_server(true, OTHER);
        server.frame = 10000;
        ask_leader(&server, server.frame);
        run(&server, JackTransportStopped, 1);
        run(&server, JackTransportRolling, 3);
        server.time += 3 * server.nframes;
        locate(&server, server.frame + jumps[i]);
        show_jump(&server, JackTransportStarting);
        run(&server, JackTransportStarting, 2);
        run(&server, JackTransportRolling, 2);
    }
}

/// This client begins to follow a transport that rolls.
static void join(struct server server) {
    run(&server, JackTransportRolling, 100);
    server.reading.is_valid = false;
    server.time += 3 * server.nframes;
    run(&server, JackTransportRolling, 10);
    locate(&server, 50000);
    show_jump(&server, JackTransportStarting);
    // The report that was held back counts no more.
    server.reading.is_valid = false;
    run(&server, JackTransportStarting, 2);
    run(&server, JackTransportRolling, 10);
}

TEST(a_client_may_join_at_any_time) { with_servers(join); }

/// A client that follows again does not compare with what it read before.
TEST(a_client_that_follows_again_knows_nothing) {
    for (int stops = 0; stops <= 1; stops++) {
        struct server server = new_server(true, OTHER);
        run(&server, JackTransportRolling, 5);
        run(&server, JackTransportStopped, (uint32_t)stops);
        server.reading.is_valid = false;
        server.time += 10 * server.nframes;
        locate(&server, server.frame);
        show_jump(&server, JackTransportStopped);
        EXPECT_EQUAL(server.report.frame, server.frame);
        server.reading.is_valid = false;
        locate(&server, 70000);
        show_jump(&server, JackTransportStopped);
        EXPECT_EQUAL(server.report.frame, 70000);
    }
}

/// On PipeWire, a jump to the frame that is shown looks like a stop until it rolls.
TEST(a_jump_to_the_frame_of_a_stop_is_known_when_it_rolls) {
    struct server server = new_server(true, OTHER);
    run(&server, JackTransportRolling, 5);
    run(&server, JackTransportStopped, 2);
    locate(&server, server.frame);
    show_jump(&server, JackTransportStarting);
    run(&server, JackTransportRolling, 3);
}

static void hang(struct server server) {
    if (server.leader == NOBODY) {
        return;
    }
    run(&server, JackTransportRolling, 100);
    server.is_hung = true;
    run(&server, JackTransportRolling, 2000);
    // Missed cycles change nothing.
    server.time += 7 * server.nframes;
    server.frame += 7 * server.nframes;
    cycle(&server, JackTransportRolling);
    EXPECT(server.report.is_after_gap == is_short(&server, 7));
    expect_beats(&server, beat_at(&server, server.report.frame));
    server.is_hung = false;
    ask_leader(&server, server.frame);
    run(&server, JackTransportRolling, 100);
}

TEST(the_beats_of_a_leader_that_hangs_go_on) { with_servers(hang); }

TEST(the_beats_of_a_leader_that_hangs_follow_a_jump_back) {
    struct server server = new_server(false, OTHER);
    run(&server, JackTransportRolling, 1000);
    server.is_hung = true;
    run(&server, JackTransportRolling, 10);
    server.time += 1000;
    server.frame -= 48000;
    cycle(&server, JackTransportRolling);
    expect_beats(&server, beat_at(&server, server.report.frame));
}

/// Only beats that are entirely those of before are taken for those of a leader that hangs.
TEST(beats_that_move_are_read) {
    for (int field = 0; field < 5; field++) {
        struct server server = new_server(false, OTHER);
        server.state = JackTransportRolling;
        server.frame = 10000;
        jack_position_t *given = &server.given;
        *given = other_beats(&server, 21.3);
        given->bar_start_tick = 0;
        given->valid = field == 2 ? JackPositionBBT : given->valid;
        given->valid = field == 4 ? JackTickDouble : given->valid;
        show(&server);
        server.frame += server.nframes;
        server.time += server.nframes;
        given->bar += field == 0 ? 10 : 0;
        given->beat += field == 1;
        given->tick += field == 2 ? 100 : 0;
        given->tick_double += field == 3 ? 100 : 0;
        given->valid = field == 4 ? JackPositionBBT | JackTickDouble : given->valid;
        show(&server);
        const double added[] = {40, 1, 100 / leader_ticks, 100 / leader_ticks, 0};
        EXPECT_NEAR(server.report.beat, 21.3 + added[field], 1e-3);
    }
}

/// Beats of a leader that stays at a place are not made to move, unless the transport rolls.
TEST(stopped_beats_stay) {
    struct server server = new_server(true, OTHER);
    run(&server, JackTransportRolling, 3);
    run(&server, JackTransportStopped, 100);
    server.leader = NOBODY;
    ask_leader(&server, 0);
    run(&server, JackTransportStopped, 2);
}

/// jackd moves the transport back when its leader is killed.
TEST(a_leader_that_is_killed_is_no_leader) {
    for (uint32_t back = 1; back < 4; back++) {
        struct server server = new_server(false, OTHER);
        run(&server, JackTransportRolling, 100);
        const uint32_t frame = server.frame;
        server.leader = NOBODY;
        locate(&server, frame - back * server.nframes);
        show_jump(&server, JackTransportStarting);
        EXPECT_EQUAL(server.report.frame, frame);
        run(&server, JackTransportStarting, 2);
        run(&server, JackTransportRolling, 3);
    }
}

/// Beats are wrong by nothing where the frame counter begins again.
TEST(frames_may_overflow) {
    for (int i = 0; i < 6; i++) {
        struct server server = new_server(i % 2 == 1, (leader_t)(i / 2));
        locate(&server, UINT32_MAX - 300);
        show_jump(&server, JackTransportStopped);
        run(&server, JackTransportStopped, 2);
        run(&server, JackTransportRolling, 2);
        const double beat = server.report.beat;
        const uint32_t begin = server.report.frame;
        server.is_hung = true; // another leader would begin at beat 0
        for (uint32_t n = 1; n < 10; n++) {
            cycle(&server, JackTransportRolling);
            EXPECT_EQUAL(server.report.frame, begin + n * server.nframes);
            EXPECT(!server.report.is_after_gap);
            if (server.leader != NOBODY) {
                EXPECT_NEAR(server.report.beat, beat + (beat_at(&server, n * server.nframes)), 2e-3);
            }
        }
        cycle(&server, JackTransportStopped);
        EXPECT_EQUAL(server.report.frame, begin + 10 * server.nframes);
    }
}

TEST(beats_may_be_of_an_earlier_frame) {
    for (int is_pipewire = 0; is_pipewire <= 1; is_pipewire++) {
        struct server server = new_server(is_pipewire, OTHER);
        server.state = JackTransportRolling;
        for (uint32_t offset = 0; offset < 5000; offset += 501) {
            server.frame = 96000;
            server.given = other_beats(&server, beat_at(&server, server.frame - offset));
            server.given.bbt_offset = offset;
            server.given.valid = (jack_position_bits_t)((unsigned)server.given.valid | JackBBTFrameOffset);
            server.reading = (struct transport_reading){0};
            show(&server);
            EXPECT_NEAR(server.report.beat, beat_at(&server, server.frame), is_pipewire ? 2e-3 : 1e-9);
            // Without the bit, the offset is garbage.
            server.given = other_beats(&server, beat_at(&server, server.frame));
            server.given.bbt_offset = 0xaaaaaaaa;
            server.state = JackTransportStopped;
            server.reading = (struct transport_reading){0};
            show(&server);
            EXPECT_NEAR(server.report.beat, beat_at(&server, server.frame), is_pipewire ? 2e-3 : 1e-9);
        }
    }
}

/// A leader says nothing of the bar's start, or says it.
TEST(the_start_of_a_bar_is_known) {
    struct server server = new_server(false, OTHER);
    server.frame = 1000000;
    ask_leader(&server, server.frame);
    const double begin = server.given.bar_start_tick / leader_ticks;
    EXPECT(begin > 4);
    for (int i = 0; i < 2; i++) {
        server.given.bar_start_tick = -100000.0 * i;
        show(&server);
        EXPECT_NEAR(server.report.bar_begin, begin, 1e-9);
        EXPECT_NEAR(server.report.beat, beat_at(&server, server.frame), 1e-9);
    }
    server.given.bar_start_tick = 1000 * leader_ticks;
    show(&server);
    EXPECT_EQUAL(server.report.bar, server.given.bar - 1);
    EXPECT_NEAR(server.report.bar_begin, 1000, 0);
    EXPECT_NEAR(server.report.beat, 1000 + beat_at(&server, server.frame) - begin, 1e-9);
    // A beat that is not in the bar is in the one where it is.
    server.given.beat += 9;
    show(&server);
    EXPECT_EQUAL(server.report.bar, server.given.bar + 1);
    EXPECT_NEAR(server.report.bar_begin, 1008, 0);
    // Unless it is in none.
    server.given.beat = INT_MAX;
    server.given.beats_per_bar = 1;
    show(&server);
    EXPECT_EQUAL(server.report.bar, server.given.bar - 1);
}

/// Ticks without fractions are rounded.
TEST(the_resolution_is_that_of_the_ticks) {
    struct server server = new_server(false, OTHER);
    server.frame = 100001;
    ask_leader(&server, server.frame);
    server.given.valid = JackPositionBBT;
    server.given.tick_double = NAN;
    show(&server);
    EXPECT(server.report.has_beats);
    EXPECT_NEAR(server.report.beat_resolution, 1 / leader_ticks, 1e-12);
    const double late = beat_at(&server, server.frame) - server.report.beat;
    EXPECT(late > 1e-9 && late < 1 / leader_ticks);
}

TEST(states_are_those_of_the_core) {
    struct server server = new_server(false, NOBODY);
    cycle(&server, JackTransportLooping);
    EXPECT(server.report.is_rolling && !server.report.is_starting);
    cycle(&server, JackTransportNetStarting);
    EXPECT(!server.report.is_rolling && server.report.is_starting);
}

/// The frame that the core knows for one of the server's.
TEST(frames_of_the_server_are_known_to_the_core) {
    for (int is_pipewire = 0; is_pipewire <= 1; is_pipewire++) {
        struct server server = new_server(is_pipewire, OTHER);
        EXPECT_EQUAL(transport_core_frame(&server.reading, 5), 5);
        EXPECT_EQUAL(transport_core_frame(&server.reading, 0), 0);
        run(&server, JackTransportRolling, 10);
        EXPECT_EQUAL(transport_core_frame(&server.reading, server.reading.server_frame), 9 * 128);
        run(&server, JackTransportStopped, 2);
        EXPECT_EQUAL(transport_core_frame(&server.reading, server.frame), 10 * 128);
        EXPECT_EQUAL(transport_core_frame(&server.reading, 77), 77);
        run(&server, JackTransportStarting, 2);
        EXPECT_EQUAL(transport_core_frame(&server.reading, server.frame), 10 * 128);
        run(&server, JackTransportRolling, 1);
        EXPECT_EQUAL(transport_core_frame(&server.reading, server.reading.server_frame), 10 * 128);
    }
    // After the client has stopped following, nothing is known.
    struct server server = new_server(true, OTHER);
    run(&server, JackTransportRolling, 1);
    run(&server, JackTransportStopped, 1);
    server.reading.is_valid = false;
    EXPECT_EQUAL(transport_core_frame(&server.reading, 0), 0);
}

/// Writes a beat, and expects that it is read again.
static void expect_round_trip(bool is_pipewire, double beat, uint32_t beats_per_bar, uint32_t distance) {
    struct server server = new_server(is_pipewire, OURS);
    server.beats_per_bar = beats_per_bar;
    const rcore_server_transport_t beats = core_beats(&server, beat);
    memset(&server.given, 0xaa, sizeof server.given);
    transport_write_beats(&server.given, &beats, distance, is_pipewire);
    EXPECT(server.given.beat >= 1 && server.given.beat <= (int32_t)beats_per_bar);
    EXPECT(server.given.tick >= 0 && server.given.tick < server.given.ticks_per_beat);
    EXPECT(server.given.tick == floor(server.given.tick_double));
    EXPECT_EQUAL(((unsigned)server.given.valid & JackBBTFrameOffset) != 0, distance > 0);
    if (is_pipewire) {
        pass_through_pipewire(&server.given);
    }
    server.frame = 1000;
    show(&server);
    const double expected = beat + distance * server.tempo / (60.0 * RATE);
    const double late = expected - server.report.beat;
    EXPECT(server.report.has_beats);
    // What is almost a whole bar is one.
    const double early = is_pipewire ? 1.1e-7 * beats_per_bar : 1.1e-7;
    EXPECT(late >= -early && late < (is_pipewire ? 1.01 / 1920 : 1e-9));
    EXPECT_EQUAL(server.report.bar, floor(server.report.beat / beats_per_bar + 1e-6));
    EXPECT(distance > 0 || server.report.bar == floor(beat / beats_per_bar + (is_pipewire ? 1e-7 : 1e-6)));
    EXPECT_NEAR(server.report.bar_begin, (double)server.report.bar * beats_per_bar, 1e-6);
    EXPECT_EQUAL(server.report.beats_per_bar, beats_per_bar);
    EXPECT_EQUAL(server.report.beat_unit, 8);
    EXPECT_NEAR(server.report.beats_per_minute, server.tempo, 0);
    // A beat that is whole but for rounding is not taken for the one before.
    if (distance == 0 && beat > 0 && ceil(beat) - beat < 9e-8) {
        EXPECT(server.report.beat >= ceil(beat) - 1e-9);
    }
}

TEST(written_beats_are_read_again) {
    static const double near[] = {0,     1e-12, -1e-12, 5e-8, -5e-8,   -9e-8, -1.5e-7,
                                  -5e-7, 1e-5,  -1e-5,  0.25, 1.0 / 3, 0.99};
    static const uint32_t meters[] = {1, 3, 4, 7, 64};
    for (int i = 0; i < 4 * 5; i++) {
        for (int whole = 0; whole < 500; whole++) {
            const double begin = whole < 400 ? whole : 16777200.0 - (whole - 400) * 7919.0;
            for (size_t n = 0; n < sizeof near / sizeof *near; n++) {
                expect_round_trip(i % 2 == 1, fmax(0, begin + near[n]), meters[i / 4], i / 2 % 2);
            }
        }
    }
}

/// A change of meter within the piece: bars are those of the core on jackd; PipeWire knows none.
TEST(bars_after_a_change_of_meter_are_written) {
    for (int is_pipewire = 0; is_pipewire <= 1; is_pipewire++) {
        struct server server = new_server(is_pipewire, OURS);
        rcore_server_transport_t beats = core_beats(&server, 21.5);
        beats.bar = 6;
        beats.bar_begin = 20;
        beats.beats_per_bar = server.beats_per_bar = 3;
        transport_write_beats(&server.given, &beats, 0, is_pipewire);
        if (is_pipewire) {
            pass_through_pipewire(&server.given);
        }
        show(&server);
        EXPECT_NEAR(server.report.beat, 21.5, 1e-3);
        EXPECT_EQUAL(server.report.bar, is_pipewire ? 7 : 6);
        EXPECT_NEAR(server.report.bar_begin, is_pipewire ? 21 : 20, 1e-6);
    }
    // What is just below a bar is its first beat, not one too many of the bar before.
    struct server server = new_server(false, OURS);
    rcore_server_transport_t beats = core_beats(&server, -2e-8);
    transport_write_beats(&server.given, &beats, 0, false);
    EXPECT_EQUAL(server.given.bar, 1);
    EXPECT_EQUAL(server.given.beat, 1);
}

/// Expects that no value is passed on that cannot be computed with.
static void expect_finite(const rcore_server_transport_t *report) {
    EXPECT(!report->has_beats ||
           (isfinite(report->beat) && isfinite(report->bar_begin) && isfinite(report->beats_per_minute) &&
            report->beats_per_minute > 0 && report->beat_resolution >= 0 && report->beat_resolution <= 1 &&
            report->beats_per_bar >= 1 && report->beats_per_bar <= 64 && report->beat_unit >= 1 &&
            report->beat_unit <= 64));
}

/// Shows a position, in the cycles that a transport can be in.
static bool show_extreme(const jack_position_t *position, bool is_pipewire) {
    struct server server = new_server(is_pipewire, OTHER);
    run(&server, JackTransportRolling, 2);
    bool has_beats = false;
    for (uint32_t i = 0; i < 8; i++) {
        server.state = i % 4 == 3 ? JackTransportStopped : JackTransportRolling;
        server.given = *position;
        server.frame += i == 5 ? 0x80000000u : server.nframes;
        server.time += server.nframes;
        show(&server);
        expect_finite(&server.report);
        has_beats |= i == 1 && server.report.has_beats;
    }
    return has_beats;
}

TEST(garbage_is_no_beat) {
    static const double numbers[] = {NAN,          INFINITY,     -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 1e-300,
                                     4e-320,       0.0,          -0.0,      -1,      1e9,      1e15,    9e14,
                                     2147483648.0, 4294967296.0, 0.5,       64.4,    64.6};
    static const int32_t integers[] = {INT_MIN, INT_MIN + 1, -1, 0, 1, 5, 1000000, INT_MAX - 1, INT_MAX};
    struct server server = new_server(false, OTHER);
    const jack_position_t good = other_beats(&server, 21.3);
    EXPECT(show_extreme(&good, false) && show_extreme(&good, true));
    for (int is_pipewire = 0; is_pipewire <= 1; is_pipewire++) {
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            const double number = numbers[i];
            const float narrow = number > FLT_MAX ? INFINITY : number < -FLT_MAX ? -INFINITY : (float)number;
            for (int field = 0; field < 6; field++) {
                jack_position_t bad = good;
                bad.tick_double = field == 0 ? number : bad.tick_double;
                bad.bar_start_tick = field == 1 ? number : bad.bar_start_tick;
                bad.ticks_per_beat = field == 2 ? number : bad.ticks_per_beat;
                bad.beats_per_minute = field == 3 ? number : bad.beats_per_minute;
                bad.beats_per_bar = field == 4 ? narrow : bad.beats_per_bar;
                bad.beat_type = field == 5 ? narrow : bad.beat_type;
                const bool has_beats = show_extreme(&bad, is_pipewire);
                EXPECT(isfinite(number) || !has_beats);
                EXPECT(field < 2 || number > 0 || !has_beats);
            }
        }
        for (size_t i = 0; i < 9 * 9 * 9; i++) {
            jack_position_t bad = good;
            bad.bar = integers[i % 9];
            bad.beat = integers[i / 9 % 9];
            bad.tick = integers[i / 81];
            bad.valid = (jack_position_bits_t)(JackPositionBBT | (i % 2 == 0 ? JackTickDouble : 0) |
                                               (i % 3 == 0 ? JackBBTFrameOffset : 0));
            bad.bbt_offset = (uint32_t)bad.tick;
            const bool has_beats = show_extreme(&bad, is_pipewire);
            EXPECT(!has_beats || (bad.bar >= 1 && bad.beat >= 1));
        }
        for (unsigned byte = 0; byte < 256; byte++) {
            jack_position_t bad;
            memset(&bad, (int)byte, sizeof bad);
            bad.valid = (jack_position_bits_t)0x7f0;
            (void)show_extreme(&bad, is_pipewire);
            bad.valid = (jack_position_bits_t)0;
            EXPECT(!show_extreme(&bad, is_pipewire));
            EXPECT(byte != 0xff || !server.report.has_beats);
        }
    }
    // Beats that are not valid are no beats, whatever they are.
    jack_position_t invalid = good;
    invalid.valid = JackTickDouble;
    EXPECT(!show_extreme(&invalid, false));
}

TEST(without_a_sample_rate_there_are_no_beats) {
    struct server server = new_server(false, OTHER);
    struct transport_cycle cycle = {.position = other_beats(&server, 5), .nframes = 64};
    transport_read(&server.reading, &cycle);
    EXPECT(!server.reading.report.has_beats);
}

int main(void) {
    RUN(a_transport_that_stops_and_starts_does_not_jump);
    RUN(the_first_cycle_after_a_jump_is_held_back);
    RUN(no_more_than_one_cycle_is_held_back);
    RUN(a_jump_that_rolls_is_reported_at_once);
    RUN(a_jump_to_the_shown_frame_is_not_taken_for_a_stop);
    RUN(missed_cycles_are_a_gap);
    RUN(old_beats_go_on_when_the_transport_begins_to_wait);
    RUN(a_stop_in_a_gap_is_a_stop);
    RUN(a_jump_in_a_gap_is_a_jump);
    RUN(a_stop_is_a_stop_whatever_its_time);
    RUN(a_stop_and_a_start_in_a_gap_move_nothing);
    RUN(a_client_may_join_at_any_time);
    RUN(a_client_that_follows_again_knows_nothing);
    RUN(a_jump_to_the_frame_of_a_stop_is_known_when_it_rolls);
    RUN(beats_that_move_are_read);
    RUN(the_beats_of_a_leader_that_hangs_go_on);
    RUN(the_beats_of_a_leader_that_hangs_follow_a_jump_back);
    RUN(stopped_beats_stay);
    RUN(a_leader_that_is_killed_is_no_leader);
    RUN(frames_may_overflow);
    RUN(beats_may_be_of_an_earlier_frame);
    RUN(the_start_of_a_bar_is_known);
    RUN(the_resolution_is_that_of_the_ticks);
    RUN(states_are_those_of_the_core);
    RUN(frames_of_the_server_are_known_to_the_core);
    RUN(written_beats_are_read_again);
    RUN(bars_after_a_change_of_meter_are_written);
    RUN(garbage_is_no_beat);
    RUN(without_a_sample_rate_there_are_no_beats);
    return test_result();
}
