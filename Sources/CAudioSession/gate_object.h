/// The object behind a session's gate: how its page is replaced. audiosession/gate.h declares what
/// programs use.
///
/// The audio thread reads the page once per cycle. While it does so, it states in `held` which page
/// that is (a hazard pointer), so the owner knows when it may unmap an older one, even if the
/// program does not call the gate for long.
#ifndef ASESSION_GATE_OBJECT_H
#define ASESSION_GATE_OBJECT_H

#include "audiosession/audiosession.h"
#include "gate_key.h"
#include "session/gate_state.h"
#include "session_gate.h"
#include "session_keys.h"

#include <stdatomic.h>

/// What the arbiter publishes for a session. The owner keeps it and what it points to, unchanged,
/// until another one is set and `gate_uses_last_page` returns true.
struct gate_page {
    /// Differs from that of the page before.
    uint64_t number;
    const sgate_page_t *page;
    /// NULL: keys do not lower the session, nor does it lower others as one.
    sgate_keys_t *keys;
};

struct asession_gate {
    /// What to read; NULL: nothing.
    _Atomic(const struct gate_page *) page;
    /// What the audio thread is reading; NULL: nothing.
    _Atomic(const struct gate_page *) held;
    _Atomic(uint32_t) sample_rate;
    // The rest belongs to the audio thread.
    /// `asession_gate_begin` has read the page for this cycle.
    bool has_begun;
    /// The number of the page that was applied last.
    uint64_t page_number;
    /// As in the render core. Nothing sets its `suspended`, `settling` and resume delay.
    struct gate_state state;
    struct gate_key key;
};

/// Makes `gate` an open gate without a page. [owner] Not while the audio thread may use it.
void gate_initialise(asession_gate_t *gate);
/// Sets what the audio thread reads from its next cycle on. [owner] NULL: the gate keeps what was
/// applied last. A second page continues from the state of the first one, with the ramps that it
/// states.
void gate_set_page(asession_gate_t *gate, const struct gate_page *page);
/// Returns whether the audio thread reads nothing, or what was set last, so that older pages may be
/// unmapped. [owner]
bool gate_uses_last_page(const asession_gate_t *gate);
/// Returns whether the session is audible, if it is a key; otherwise false. [owner]
bool gate_is_audible(const asession_gate_t *gate);
/// Returns a count of the frames of a key, which stands still while nothing applies the gate.
/// [owner]
uint64_t gate_key_frames(const asession_gate_t *gate);

#endif
