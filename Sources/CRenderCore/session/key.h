/// Key detection: whether a session that lowers others only while it is audible, a key, is so.
///
/// A session bus is audible from the first block in which a sample of its sum, times its gain,
/// exceeds the threshold, until none has for the hold time, or until its gate has closed. The
/// attenuation in its gate does not count: a key that is lowered itself is still audible. The first
/// such block sets the key's bit in the keys page, where the cores of other sessions read it in
/// their next cycle (`gates_read`).
///
/// A bus that is no key costs nothing; one that is is never mixed without looking at its samples.
#ifndef RCORE_KEY_H
#define RCORE_KEY_H

#include "render_core.h"
#include "session/key_detection.h"
#include "session_keys.h"

#include <stdatomic.h>

struct bus_state;

/// State of a bus that has a gate.
struct key_state {
    /// The page in which the bit is set; NULL: none.
    sgate_keys_t *keys;
    /// What was applied last.
    struct key_detection detection;
    /// While it is audible: when it ceases, in frames of `rcore_time`.
    uint64_t end;
    /// Published. Only the cycle writes it.
    _Atomic(bool) is_audible;
};

/// Applies a gate's word of the detection, and the page; an audible key remains audible. Does
/// nothing if neither has changed.
void key_update(rcore_t *core, struct bus_state *bus, sgate_keys_t *keys, uint64_t word) RCORE_RT;
/// Ends the detection on a bus that has no gate any longer, and clears its bit.
void key_reset(struct bus_state *bus) RCORE_RT;
/// Records that a key is audible in this block, if its gate is open and a sample times the bus's
/// gain exceeds the threshold. Sets its bit again if another bus of the session, or the arbiter,
/// has cleared it.
void key_scan(rcore_t *core, struct bus_state *bus, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT;
/// Ends the audibility of the keys whose hold time has passed, at the end of a cycle.
void keys_expire(rcore_t *core) RCORE_RT;

#endif
