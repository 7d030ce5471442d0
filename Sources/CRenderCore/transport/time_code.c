// Follows MIDI time code.
#include "transport/time_code.h"

#include "transport/clock.h"
#include "transport/tick_filter.h"
#include "transport/transport.h"

#include <math.h>
#include <string.h>

enum { QUARTERS = 4 };
// Without a full message before, the transport starts so many quarter frames after its position is
// known, so that its pass can be prepared meanwhile: two frames, 67 to 83 ms.
enum { PREPARATION_QUARTERS = 8 };
// A time code this far from the expected one corrects it, in quarter frames: senders leave out
// frames, or state one twice. Further away, the tape has been moved.
enum { TOLERANCE_QUARTERS = 8 };
// So many quarter frames may be lost.
enum { LOST_PIECES = 3 };
// A quarter frame that does not come so many seconds after the last one is missing.
static const double missing_seconds = 0.1;
// Quarter frames per second: limits of the speed of a tape.
static const double slowest_tape = 24.0, fastest_tape = 480.0;
static const double first_jitter = 0.001;
// Limits of the speed with which the time catches up with the tape.
static const double slowest = 0.5, fastest = 2.0;

// ---- Time codes

static double quarters_per_second(rcore_time_code_rate_t rate) RCORE_RT {
    switch (rate) {
    case RCORE_TIME_CODE_24:
        return QUARTERS * 24.0;
    case RCORE_TIME_CODE_25:
        return QUARTERS * 25.0;
    case RCORE_TIME_CODE_29_97_DROP:
        return QUARTERS * 30000.0 / 1001.0;
    default:
        return QUARTERS * 30.0;
    }
}

// Returns the quarter frames of a day.
static int64_t quarters_per_day(rcore_time_code_rate_t rate) RCORE_RT {
    const bool drops = rate == RCORE_TIME_CODE_29_97_DROP;
    return drops ? (int64_t)QUARTERS * 144 * 17982 : (int64_t)(86400.0 * quarters_per_second(rate));
}

// Returns a distance in quarter frames, the shorter way round the day.
static int64_t around_day(int64_t distance, rcore_time_code_rate_t rate) RCORE_RT {
    const int64_t day = quarters_per_day(rate);
    const int64_t rest = distance % day;
    return rest > day / 2 ? rest - day : rest < -day / 2 ? rest + day : rest;
}

// The rate, which is in bits 5 and 6 of the hours.
static rcore_time_code_rate_t rate_of(uint32_t hours) RCORE_RT {
    return (rcore_time_code_rate_t)(RCORE_TIME_CODE_24 + (hours >> 5 & 3));
}

// Returns the quarter frames from 0:00 to a time code, or -1 if its numbers are out of range. The
// unused bits of each number are ignored.
static int64_t quarters_of(uint32_t hours, uint32_t minutes, uint32_t seconds, uint32_t frames) RCORE_RT {
    const uint32_t rates[] = {24, 25, 30, 30};
    const uint32_t per_second = rates[hours >> 5 & 3];
    const bool drops = rate_of(hours) == RCORE_TIME_CODE_29_97_DROP;
    hours &= 31;
    minutes &= 63;
    seconds &= 63;
    frames &= 31;
    if (hours > 23 || minutes > 59 || seconds > 59 || frames >= per_second) {
        return -1;
    }
    const int64_t all_minutes = (int64_t)hours * 60 + minutes;
    const int64_t number = (all_minutes * 60 + seconds) * per_second + frames;
    // Every minute but each tenth one has no frames 0 and 1; if they are stated, they count as the
    // last ones of the minute before.
    return QUARTERS * (number - (drops ? 2 * (all_minutes - all_minutes / 10) : 0));
}

// ---- The position

// Returns the place of a quarter frame in the tempo map, in frames of the core: within 12 hours of
// the start of the piece.
static double place_of(const struct transport *transport, int64_t quarter) RCORE_RT {
    const struct time_code *code = &transport->time_code;
    const double day = (double)quarters_per_day(code->rate) / quarters_per_second(code->rate);
    const double seconds = (double)quarter / quarters_per_second(code->rate) - code->start;
    return (seconds - day * floor(seconds / day + 0.5)) * transport->rate;
}

double time_code_seconds(const struct transport *transport) RCORE_RT {
    const rcore_time_code_rate_t rate = transport->time_code.rate;
    const double day = (double)quarters_per_day(rate) / quarters_per_second(rate);
    const double seconds = transport->time_code.start + clock_map_place(transport, transport->frame) / transport->rate;
    return seconds - day * floor(seconds / day);
}

// Moves a transport that does not roll to a quarter frame.
static void set_position(struct transport *transport, int64_t quarter) RCORE_RT {
    transport->time_code.start = atomic_load_explicit(&transport->time_code_start, memory_order_relaxed);
    const double place = place_of(transport, quarter);
    transport->is_rolling = false;
    transport->is_starting = false;
    transport->frame = (int64_t)floor(place + 0.5);
    transport->map_shift = place - (double)transport->frame;
    transport->map_slope = 0.0;
}

// Stops the transport where it is: the time code of the last quarter frame is no longer known.
// Returns whether a pass begins.
static bool halt(struct transport *transport) RCORE_RT {
    const bool was_started = transport->is_rolling || transport->is_starting;
    transport->time_code.is_known = false;
    transport->time_code.received = 0;
    transport->is_rolling = false;
    transport->is_starting = false;
    return was_started;
}

void time_code_begin(struct transport *transport) RCORE_RT {
    transport->time_code = (struct time_code){0};
    tick_filter_init(&transport->time_code.ticks, first_jitter * transport->rate);
}

// Gives the time the speed to be right at the next quarter frame when it is expected.
static void aim(struct transport *transport, uint64_t now) RCORE_RT {
    const struct time_code *code = &transport->time_code;
    const double place = clock_map_place(transport, transport->frame);
    const double nominal = transport->rate / quarters_per_second(code->rate);
    const double frames = code->ticks.interval > 0.0 ? code->ticks.interval : nominal;
    const double left = fmax(code->ticks.time + frames - (double)now, 1.0);
    const double speed = (place_of(transport, code->quarter) + nominal - place) / left;
    transport->map_shift = place - (double)transport->frame;
    transport->map_slope = fmin(fmax(speed, slowest), fastest) - 1.0;
    transport->map_slope_frame = transport->frame;
}

// ---- Quarter frames

// The time code is known for the first time: prepares to start. Returns true: a pass begins.
static bool prepare(struct transport *transport, int64_t quarter) RCORE_RT {
    struct time_code *code = &transport->time_code;
    code->is_known = true;
    code->is_located = false;
    code->quarter = quarter;
    code->start_quarter = quarter + PREPARATION_QUARTERS;
    set_position(transport, code->start_quarter);
    transport->is_starting = true;
    return true;
}

// All eight quarter frames have come: they state the time code at the first one. Returns whether a
// pass begins.
static bool read_pieces(struct transport *transport) RCORE_RT {
    struct time_code *code = &transport->time_code;
    const uint8_t *pieces = code->pieces;
    const uint32_t hours = pieces[6] | (uint32_t)pieces[7] << 4;
    const int64_t quarter = quarters_of(hours, pieces[4] | (uint32_t)pieces[5] << 4,
                                        pieces[2] | (uint32_t)pieces[3] << 4, pieces[0] | (uint32_t)pieces[1] << 4);
    if (quarter < 0) {
        return halt(transport);
    }
    const rcore_time_code_rate_t rate = rate_of(hours);
    const int64_t now = quarter + TIME_CODE_PIECES - 1;
    const int64_t distance = around_day(now - code->quarter, rate);
    const bool agrees = distance >= -TOLERANCE_QUARTERS && distance <= TOLERANCE_QUARTERS;
    if (code->is_known && agrees && code->rate == rate) {
        code->quarter = now;
        return false;
    }
    code->rate = rate;
    return prepare(transport, now);
}

// Advances by a quarter frame, or by more if some were lost. Returns whether a pass begins.
static bool advance(struct transport *transport, uint64_t now, uint32_t count) RCORE_RT {
    struct time_code *code = &transport->time_code;
    code->quarter += count;
    if (code->received == TIME_CODE_PIECES && read_pieces(transport)) {
        return true;
    }
    if (transport->is_starting && around_day(code->start_quarter - code->quarter, code->rate) <= 0) {
        transport->is_starting = false;
        transport->is_rolling = true;
    }
    if (transport->is_rolling) {
        aim(transport, now);
    }
    return false;
}

// The first quarter frame after a full message: the tape starts there, if it is of that time code.
static bool start_located(struct transport *transport, uint64_t now) RCORE_RT {
    struct time_code *code = &transport->time_code;
    code->is_located = false;
    if (code->received != 1 || code->pieces[0] != (code->exclusive[8] & 15)) {
        return false;
    }
    code->is_known = true;
    transport->is_rolling = true;
    aim(transport, now);
    return true;
}

// Returns whether a pass begins.
static bool add_piece(struct transport *transport, uint64_t now, uint8_t data) RCORE_RT {
    struct time_code *code = &transport->time_code;
    const uint8_t piece = data >> 4 & 7;
    const uint32_t lost = (piece + TIME_CODE_PIECES - code->next_piece) % TIME_CODE_PIECES;
    tick_filter_add(&code->ticks, now, transport->rate / fastest_tape, transport->rate / slowest_tape);
    code->next_piece = (piece + 1) % TIME_CODE_PIECES;
    code->received = piece == 0 ? 1 : lost == 0 && code->received > 0 ? code->received + 1 : 0;
    code->pieces[piece] = data & 15;
    if (code->is_located && start_located(transport, now)) {
        return false;
    }
    if (code->is_known && lost > LOST_PIECES) { // it has been moved, or runs backwards
        return halt(transport);
    }
    if (!code->is_known) {
        return code->received == TIME_CODE_PIECES && read_pieces(transport);
    }
    return advance(transport, now, 1 + lost);
}

// ---- Full messages

// The tape is at a time code. Returns whether a pass begins.
static bool locate(struct transport *transport, int64_t quarter, rcore_time_code_rate_t rate) RCORE_RT {
    struct time_code *code = &transport->time_code;
    const int64_t distance = around_day(quarter - code->quarter, rate);
    const bool agrees = distance >= -TOLERANCE_QUARTERS && distance <= TOLERANCE_QUARTERS && code->rate == rate;
    const bool was_rolling = transport->is_rolling;
    if (was_rolling && agrees) {
        return false;
    }
    const bool was_started = halt(transport);
    const int64_t frame = transport->frame;
    const double shift = transport->map_shift;
    code->rate = rate;
    code->quarter = quarter;
    code->is_located = true;
    set_position(transport, quarter);
    return was_started || frame != transport->frame || shift != transport->map_shift;
}

// Adds a segment of a system-exclusive message. Returns whether a pass begins: it was a full time
// code, F0 7F (device) 01 01 (hours, minutes, seconds, frames) F7.
static bool add_exclusive(struct transport *transport, const uint8_t *bytes, uint32_t size) RCORE_RT {
    struct time_code *code = &transport->time_code;
    uint8_t *all = code->exclusive;
    if (bytes[0] == 0xF0) {
        code->exclusive_size = 0;
    }
    if (code->exclusive_size + size > TIME_CODE_FULL) {
        code->exclusive_size = TIME_CODE_FULL + 1; // some other message
        return false;
    }
    memcpy(all + code->exclusive_size, bytes, size);
    code->exclusive_size += size;
    const bool is_full = code->exclusive_size == TIME_CODE_FULL && all[0] == 0xF0 && all[1] == 0x7F && all[3] == 1 &&
                         all[4] == 1 && all[9] == 0xF7;
    const int64_t quarter = is_full ? quarters_of(all[5], all[6], all[7], all[8]) : -1;
    return quarter >= 0 && locate(transport, quarter, rate_of(all[5]));
}

bool time_code_receive(struct transport *transport, uint64_t now, const uint8_t *bytes, uint32_t size) RCORE_RT {
    if (bytes[0] == 0xF1 && size >= 2) {
        return add_piece(transport, now, bytes[1]);
    }
    const bool is_exclusive = bytes[0] < 0x80 || bytes[0] == 0xF0 || bytes[0] == 0xF7;
    return is_exclusive && add_exclusive(transport, bytes, size);
}

bool time_code_check(struct transport *transport, uint64_t now) RCORE_RT {
    const struct time_code *code = &transport->time_code;
    const bool is_missing = (double)(now - code->ticks.last) > missing_seconds * transport->rate;
    if (!code->is_known || !is_missing || !halt(transport)) {
        return false;
    }
    set_position(transport, code->quarter); // where the tape stopped
    return true;
}
