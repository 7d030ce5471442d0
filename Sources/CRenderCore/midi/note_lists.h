/// Lists of notes, and the removal of a note from all of them. All functions [render].
#ifndef RCORE_NOTE_LISTS_H
#define RCORE_NOTE_LISTS_H

#include "midi/instrument_state.h"

static inline void list_append(struct note_list *list, enum link_kind kind, struct note *note) RCORE_RT {
    note->links[kind] = (struct note_link){.previous = list->last, .next = NULL};
    if (list->last != NULL) {
        list->last->links[kind].next = note;
    } else {
        list->first = note;
    }
    list->last = note;
}

static inline void list_remove(struct note_list *list, enum link_kind kind, struct note *note) RCORE_RT {
    const struct note_link link = note->links[kind];
    if (link.previous != NULL) {
        link.previous->links[kind].next = link.next;
    } else {
        list->first = link.next;
    }
    if (link.next != NULL) {
        link.next->links[kind].previous = link.previous;
    } else {
        list->last = link.previous;
    }
}

static inline struct press *press_of(rcore_instrument_t *instrument, const struct note *note) RCORE_RT {
    return &instrument->channels[note->channel].presses[note->key];
}

/// Adds a note, whose fields are set, to its lists.
static inline void note_enter(rcore_instrument_t *instrument, struct note *note) RCORE_RT {
    list_append(note->released ? &instrument->released : &instrument->held, LINK_AGE, note);
    list_append(&instrument->channels[note->channel].notes, LINK_CHANNEL, note);
    if (!note->released) {
        list_append(&press_of(instrument, note)->notes, LINK_KEY, note);
    }
    if (note->zone->choked_with != NULL) {
        list_append(note->zone->choked_with, LINK_CHOKE, note);
    }
    atomic_store_explicit(&instrument->note_count,
                          atomic_load_explicit(&instrument->note_count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

/// Moves a note from its key to the released ones.
static inline void note_detach(rcore_instrument_t *instrument, struct note *note) RCORE_RT {
    if (!note->released) {
        list_remove(&press_of(instrument, note)->notes, LINK_KEY, note);
        list_remove(&instrument->held, LINK_AGE, note);
        list_append(&instrument->released, LINK_AGE, note);
        note->released = true;
    }
}

/// Removes a note from all lists: it is unused.
static inline void note_leave(rcore_instrument_t *instrument, struct note *note) RCORE_RT {
    note_detach(instrument, note);
    list_remove(&instrument->released, LINK_AGE, note);
    list_remove(&instrument->channels[note->channel].notes, LINK_CHANNEL, note);
    if (note->zone->choked_with != NULL) {
        list_remove(note->zone->choked_with, LINK_CHOKE, note);
    }
    list_append(&instrument->unused, LINK_AGE, note);
    atomic_store_explicit(&instrument->note_count,
                          atomic_load_explicit(&instrument->note_count, memory_order_relaxed) - 1,
                          memory_order_relaxed);
}

#endif
