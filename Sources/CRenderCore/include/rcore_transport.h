/// The transport: a position in beats beside the core's frames, and commands at beats.
///
/// The transport is stopped, or rolls. Its position counts *transport frames*, one for each
/// rendered frame while it rolls, from 0 at the start of the piece. Beats are assigned to transport
/// frames by a tempo map, by the leader of a server's transport (`rcore_follow_transport`), or by a
/// MIDI clock. A beat is the beat of the meter: an eighth in 6/8.
///
/// The core has one transport, of one of four sources. Its own transport obeys commands, each on
/// its exact frame. The server's transport is shared by all its clients: the driver reports it in
/// each cycle. A MIDI clock, or MIDI time code, arrives as messages, and moves the transport on
/// their exact frames. With the last two, commands to start, stop and locate the core's transport
/// have no effect.
///
/// A *pass* is a stretch of time in which the transport rolls without a jump. A new pass begins
/// when the transport stops, whenever its position jumps, also while it is stopped, and when a
/// transport that does not roll gets another tempo map. Commands for beats are posted for a pass
/// (`rcore_beat_time`), also before it rolls. So control posts what is to be heard from a position
/// on when the pass begins, and the first frame that rolls has it. A transport that follows a MIDI
/// clock or time code does not wait for that: if the pass begins shortly before the first clock,
/// what is posted for the first frames is late, and takes effect at once.
#ifndef RCORE_TRANSPORT_H
#define RCORE_TRANSPORT_H

#include "rcore_base.h"
#include "rcore_queue.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Tempo maps

/// Highest number of changes of a tempo map.
#define RCORE_MAX_TEMPO_CHANGES 4096u
/// Limits of a tempo, in beats per minute.
#define RCORE_MIN_TEMPO 1.0
#define RCORE_MAX_TEMPO 1000.0
/// Highest beat of a change, and of a command.
#define RCORE_MAX_BEAT 16777215.0

/// A tempo and a meter, from a beat to the next change. A bar begins at the beat of a change whose
/// meter differs from the one before, or that `begins_bar`.
typedef struct rcore_tempo_change {
    /// Beats from the start, 0…RCORE_MAX_BEAT.
    double beat;
    /// RCORE_MIN_TEMPO…RCORE_MAX_TEMPO.
    double beats_per_minute;
    /// 1…64.
    uint32_t beats_per_bar;
    /// The note value of a beat: 1, 2, 4, 8, 16, 32 or 64. 4: a quarter.
    uint32_t beat_unit;
    bool begins_bar;
} rcore_tempo_change_t;

typedef struct rcore_tempo_map rcore_tempo_map_t;

/// Creates a tempo map. [control] `changes`: 1…RCORE_MAX_TEMPO_CHANGES, the first at beat 0, each
/// further one at a higher beat. Returns NULL with RCORE_BAD_ARGUMENT or RCORE_NO_MEMORY; `status`
/// may be NULL. The caller owns the map until it is posted.
rcore_tempo_map_t *rcore_tempo_map_create(const rcore_tempo_change_t *changes, uint32_t count, rcore_status_t *status);
/// Frees a map that was not posted; NULL does nothing. [control]
void rcore_tempo_map_destroy(rcore_tempo_map_t *map);
/// Returns the time of a beat, in seconds from the start. Before the first beat, the first tempo
/// continues backwards. [any] Cost: logarithmic in the number of changes.
double rcore_tempo_map_seconds(const rcore_tempo_map_t *map, double beat) RCORE_RT;
/// Returns the beat at a time, in seconds from the start: the inverse of `rcore_tempo_map_seconds`.
/// [any]
double rcore_tempo_map_beat(const rcore_tempo_map_t *map, double seconds) RCORE_RT;
/// Returns the number of quarter notes until a beat: as many as there are beats, unless a meter
/// counts other notes. [any]
double rcore_tempo_map_quarter(const rcore_tempo_map_t *map, double beat) RCORE_RT;
/// Returns the beat that begins after a number of quarter notes: the inverse. [any]
double rcore_tempo_map_beat_of_quarter(const rcore_tempo_map_t *map, double quarter) RCORE_RT;

/// A place in bars.
typedef struct rcore_bar {
    /// Number of the bar, from 0; negative before the start.
    int32_t bar;
    /// Beat at which it begins.
    double begin;
    uint32_t beats_per_bar;
    uint32_t beat_unit;
    /// The tempo at the beat.
    double beats_per_minute;
} rcore_bar_t;

/// Returns the bar of a beat. [any]
rcore_bar_t rcore_tempo_map_bar(const rcore_tempo_map_t *map, double beat) RCORE_RT;

/// Replaces the tempo map, from the next cycle on. [control] A core has 120 beats per minute in 4/4
/// until the first map is posted. The position in beats does not change. (With a MIDI clock, the
/// position in quarter notes does not change, and with time code, the time; the map's meters count,
/// and its tempo until the clock has been measured.) While the transport rolls, the pass does not
/// change either: what is waiting for a beat is heard at the new tempo. Otherwise, a new pass
/// begins. After the next jump, transport frame 0 is beat 0 again. With RCORE_OK, the core owns the
/// map. RCORE_BAD_ARGUMENT: it is NULL or already posted.
rcore_status_t rcore_post_tempo_map(rcore_t *core, rcore_tempo_map_t *map);
/// Frees the maps that are no longer in use. [control] Returns the number of posted maps that are
/// left.
uint32_t rcore_collect_tempo_maps(rcore_t *core);

// ---- Commands

/// Returns a time `when` for the `rcore_post_…` functions: a beat of a pass, rounded to 2^-24.
/// Beats are clamped to 0…RCORE_MAX_BEAT. `pass`: `rcore_transport_t.pass`. [any]
///
/// The command takes effect on the frame nearest to the beat, while the transport rolls; at once,
/// and counted as late, if the transport has passed the beat in this pass. When the pass ends, or
/// if it has ended when the command is posted, the command is discarded: a voice whose start is
/// discarded ends. Commands that end a sound take effect at once instead: `rcore_post_stop`,
/// `rcore_post_leave_loop`, and the MIDI messages note-off and release of the sustain or sostenuto
/// pedal. A voice that starts at a beat while its session is suspended ends unheard. Plans have no
/// beats: `rcore_post_plan` takes frames only, and returns RCORE_BAD_ARGUMENT for a beat.
///
/// At one frame, commands for frames take effect first, then those for beats, in the order of their
/// beats. The pass is compared modulo 2^15.
uint64_t rcore_beat_time(uint32_t pass, double beat) RCORE_RT;

/// Starts the core's own transport. [producer] At RCORE_NOW: in the next period. If passes must be
/// prepared (`rcore_require_preparation`) and this one is not yet, it rolls from the first cycle on
/// that finds it prepared. No effect while it rolls. Each of these returns RCORE_OK or RCORE_FULL,
/// like the other `rcore_post_…`; this one RCORE_BAD_ARGUMENT if `when` is a beat, which comes only
/// while it rolls.
rcore_status_t rcore_post_transport_start(rcore_queue_t *queue, uint64_t when) RCORE_RT;
/// Stops the core's own transport. [producer] The position stays, and a new pass begins. No effect
/// while it is stopped.
rcore_status_t rcore_post_transport_stop(rcore_queue_t *queue, uint64_t when) RCORE_RT;
/// Moves the core's own transport to the frame nearest to a beat of the tempo map, whether it rolls
/// or not. [producer] A new pass begins; a transport that rolled rolls on as after a start. The
/// beat is rounded as by `rcore_beat_time`. RCORE_BAD_ARGUMENT: it is not in 0…RCORE_MAX_BEAT.
rcore_status_t rcore_post_transport_locate(rcore_queue_t *queue, double beat, uint64_t when) RCORE_RT;
/// Begins a new pass at the current position, whether the transport rolls or not: control can post
/// again. [producer] A transport that rolls rolls on.
rcore_status_t rcore_post_transport_renew(rcore_queue_t *queue, uint64_t when) RCORE_RT;

/// Where the position comes from.
typedef enum rcore_transport_source {
    /// The core's own transport, which commands control (initially).
    RCORE_TRANSPORT_OWN,
    /// The server's transport (`rcore_follow_transport`).
    RCORE_TRANSPORT_SERVER,
    /// A MIDI clock: messages to the transport (`rcore_midi_routing_add_transport`), from one
    /// sender. It rolls from the frame of the first clock after a start or continue on, prepared or
    /// not. When no clock has come for 0.25 s, and for six times their distance, a new pass begins,
    /// which waits for the next clock.
    RCORE_TRANSPORT_MIDI_CLOCK,
    /// MIDI time code: messages to the transport, from one sender. Its seconds are those of the
    /// tempo map, from `rcore_set_time_code_start` on. After a full message, the transport rolls
    /// from the next quarter frame on, if that is of the same time code. Otherwise, it is moved two
    /// frames of the time code ahead as soon as that is known, which takes two to four frames, and
    /// rolls when the time code has arrived there. It is prepared or not. While it rolls, the tempo
    /// map is followed at the speed of the time code. It stops when no quarter frame
    /// has come for 0.1 s, or when the time code jumps or runs backwards.
    RCORE_TRANSPORT_TIME_CODE,
} rcore_transport_source_t;

/// Selects the source. [producer] The transport is stopped, at the transport frame of the old
/// source; after a MIDI clock, at its beat; for a MIDI clock, at the first clock from the beat on.
/// A new pass begins. The server's position is known from the next cycle on. No effect if it has
/// the source already. RCORE_BAD_ARGUMENT: there is no such source.
rcore_status_t rcore_post_transport_source(rcore_queue_t *queue, rcore_transport_source_t source,
                                           uint64_t when) RCORE_RT;

// ---- Time code

/// Frames per second of a time code.
typedef enum rcore_time_code_rate {
    /// No time code has come.
    RCORE_TIME_CODE_NONE,
    RCORE_TIME_CODE_24,
    RCORE_TIME_CODE_25,
    /// 30,000 / 1,001, counted as 30; each minute but every tenth one lacks the frames 0 and 1.
    RCORE_TIME_CODE_29_97_DROP,
    RCORE_TIME_CODE_30,
} rcore_time_code_rate_t;

/// Highest time code in seconds, exclusive. A day of 29.97 drop-frame is 0.09 s shorter.
#define RCORE_TIME_CODE_SECONDS 86400.0

/// Sets the time code of the start of the piece, in seconds; initially 0. From twelve hours before
/// it on, time codes are before the start. [any] Takes effect when
/// time code moves the transport next. RCORE_BAD_ARGUMENT: it is not in
/// 0…RCORE_TIME_CODE_SECONDS, without the latter.
rcore_status_t rcore_set_time_code_start(rcore_t *core, double seconds) RCORE_RT;

// ---- Position

typedef struct rcore_transport {
    /// Frame of `rcore_time` of the position: the beginning of the next cycle.
    uint64_t time;
    /// Transport frames from the start. With a MIDI clock or time code: since the last start or
    /// jump, which was at the frame of its beat by the tempo map.
    int64_t frame;
    /// Beats from the start.
    double beat;
    double beats_per_minute;
    /// Number of the bar, from 0, and the beat at which it begins. With a leader: as it reported
    /// them, and full bars since.
    int32_t bar;
    double bar_begin;
    uint32_t beats_per_bar;
    uint32_t beat_unit;
    /// Number of the pass, from 0; increases by 1 with each.
    uint32_t pass;
    /// The beat at which the pass began.
    double pass_begin;
    bool is_rolling;
    /// It has been started and waits: for the preparation of its pass, for all clients of the
    /// server, for the next MIDI clock, or for the time code of its position.
    bool is_starting;
    rcore_transport_source_t source;
    /// The leader of the server's transport assigns the beats. Otherwise the tempo map or the MIDI
    /// clock does; after the leader has gone, the beats go on at its tempo until the transport
    /// stops.
    bool has_leader;
    /// The tempo map assigns the beats.
    bool is_by_map;
    /// Of RCORE_TRANSPORT_TIME_CODE: the rate of the time code, and the time code at the position,
    /// in seconds.
    rcore_time_code_rate_t time_code_rate;
    double time_code;
} rcore_transport_t;

/// Returns the position at the end of the last cycle. [any but render] The cycle wakes `rcore_wait`
/// when the pass, `is_rolling`, `is_starting`, the source, the leader, the tempo or the meter has
/// changed.
rcore_transport_t rcore_read_transport(const rcore_t *core);

// ---- Preparation: before the transport rolls

/// How long the transport waits for its preparation, in seconds: then it rolls without.
#define RCORE_PREPARATION_SECONDS 2u

/// Sets whether each pass must be prepared before the transport rolls; initially not. Also if it
/// was required before, the current pass must be prepared again. [any]
void rcore_require_preparation(rcore_t *core, bool is_required) RCORE_RT;
/// Reports that the commands of a pass have been posted. [any]
void rcore_report_prepared(rcore_t *core, uint32_t pass) RCORE_RT;
/// Returns whether the server's transport may roll from `frame` on: preparation is not required, or
/// the core follows it, is at that frame, and the pass has been prepared. [render] The driver
/// answers the server with it, but makes it wait no longer than RCORE_PREPARATION_SECONDS.
bool rcore_is_prepared(const rcore_t *core, uint32_t frame) RCORE_RT;

// ---- Server's transport: [render]

/// What the server says of its transport at the first frame of a cycle.
typedef struct rcore_server_transport {
    bool is_rolling;
    bool is_starting;
    /// The server skipped cycles of this client before this one, so the position may be later than
    /// expected without a jump.
    bool is_after_gap;
    /// Transport frame, modulo 2^32: a transport that rolls beyond the highest one does not jump.
    uint32_t frame;
    /// The transport has a leader, and the rest is set.
    bool has_beats;
    /// Beats from the start, at most RCORE_MAX_BEAT in magnitude, and their resolution, 0…1: the
    /// leader rounds them down to multiples of it. 0: exact. The core makes up for the rounding as
    /// long as the tempo stays. Beats that move by more than 1 are a jump.
    double beat;
    double beat_resolution;
    /// Tempo and meter, within the limits of a tempo map.
    double beats_per_minute;
    int32_t bar;
    /// At most RCORE_MAX_BEAT in magnitude.
    double bar_begin;
    uint32_t beats_per_bar;
    uint32_t beat_unit;
} rcore_server_transport_t;

/// Reports the server's transport, before the `rcore_process` of its cycle. A cycle without a
/// report has a stopped transport, if it follows one. Values out of range count as no beats. No
/// effect on a core that does not follow it.
void rcore_follow_transport(rcore_t *core, const rcore_server_transport_t *transport) RCORE_RT;

/// Computes what a leader reports for a frame: sets `has_beats` and the beats of `transport` by the
/// core's tempo map. Call it after `rcore_process`, for the frame at which the server's next cycle
/// begins. `is_jump`: the server moves its transport there, so transport frame 0 is beat 0 again. A
/// core that does not follow the server's transport reports each frame as after a jump.
void rcore_lead_transport(const rcore_t *core, uint32_t frame, bool is_jump,
                          rcore_server_transport_t *transport) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
