/// The journal: a file that names the streams that this program has altered, so that another run
/// can free them after this one was killed.
///
///     audiosession-hand 1
///     core COOKIE
///     SERIAL level|hold
///
/// A stream is added before it is altered, and removed after a round trip to PipeWire has shown
/// that it is free. Each change replaces the file, so that it is complete at any time.
#ifndef HAND_JOURNAL_H
#define HAND_JOURNAL_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct journal_entry {
    uint64_t serial;
    bool is_held;
} journal_entry_t;

typedef struct journal {
    char path[PATH_MAX];
    /// Holds the lock for as long as this process lives.
    int lock;
    /// The running PipeWire. Serials of another one mean nothing.
    uint32_t cookie;
    journal_entry_t *entries;
    size_t count;
    size_t capacity;
} journal_t;

/// Writes the default path. Returns false and describes the error if its folder is not private to
/// this user.
bool journal_default_path(char path[PATH_MAX], char *error, size_t size);
/// Locks the journal. Returns 0, -EWOULDBLOCK if another process holds the lock, or another
/// negative errno.
int journal_lock(journal_t *journal, const char *path);
/// Reads the entries that an earlier process left, with the cookie of their PipeWire.
void journal_read(journal_t *journal);
/// Returns whether a stream is in the journal.
bool journal_contains(const journal_t *journal, uint64_t serial);
/// Returns whether a stream is in the journal as held.
bool journal_is_held(const journal_t *journal, uint64_t serial);
/// Adds a stream, or changes its entry. Returns false if the file cannot be written; the entry is
/// then as before.
bool journal_set(journal_t *journal, uint64_t serial, bool is_held);
void journal_remove(journal_t *journal, uint64_t serial);
/// Removes all entries, and from now on stores those of another PipeWire.
void journal_restart(journal_t *journal, uint32_t cookie);
void journal_close(journal_t *journal);

#endif
