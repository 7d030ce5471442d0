#define _GNU_SOURCE
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const header = "audiosession-hand 1\n";

// ---- Path -------------------------------------------------------------------------------------

/// Creates the folder if it is missing. Returns whether it is a folder that only this user can
/// access.
static bool has_private_folder(const char *path) {
    struct stat facts;
    return (mkdir(path, 0700) == 0 || errno == EEXIST) && lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode) &&
           facts.st_uid == getuid() && (facts.st_mode & 0777) == 0700;
}

bool journal_default_path(char path[PATH_MAX], char *error, size_t size) {
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char folder[PATH_MAX - 32];
    if (runtime != NULL && runtime[0] == '/' &&
        snprintf(folder, sizeof folder, "%s/audiosession", runtime) < (int)sizeof folder &&
        has_private_folder(folder)) {
        snprintf(path, PATH_MAX, "%s/streams.journal", folder);
        return true;
    }
    snprintf(folder, sizeof folder, "/tmp/audiosession-%u", (unsigned)getuid());
    snprintf(path, PATH_MAX, "%s/streams.journal", folder);
    if (has_private_folder(folder)) {
        return true;
    }
    snprintf(error, size, "'%s' is not a private folder of this user (mode 700); remove it.", folder);
    return false;
}

/// Writes the path of a file beside the journal.
static bool beside(const journal_t *journal, const char *suffix, char path[PATH_MAX]) {
    return snprintf(path, PATH_MAX, "%s%s", journal->path, suffix) < PATH_MAX;
}

int journal_lock(journal_t *journal, const char *path) {
    char lock[PATH_MAX];
    *journal = (journal_t){.lock = -1};
    if (strlen(path) >= PATH_MAX) {
        return -ENAMETOOLONG;
    }
    memcpy(journal->path, path, strlen(path) + 1);
    if (!beside(journal, ".lock", lock)) {
        return -ENAMETOOLONG;
    }
    journal->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (journal->lock == -1) {
        return -errno;
    }
    if (flock(journal->lock, LOCK_EX | LOCK_NB) != 0) {
        const int error = -errno;
        journal_close(journal);
        return error;
    }
    return 0;
}

void journal_close(journal_t *journal) {
    if (journal->lock != -1) {
        close(journal->lock);
    }
    free(journal->entries);
    *journal = (journal_t){.lock = -1};
}

// ---- Entries ----------------------------------------------------------------------------------

static journal_entry_t *find(const journal_t *journal, uint64_t serial) {
    for (size_t i = 0; i < journal->count; i++) {
        if (journal->entries[i].serial == serial) {
            return &journal->entries[i];
        }
    }
    return NULL;
}

static bool append(journal_t *journal, journal_entry_t entry) {
    if (journal->count == journal->capacity) {
        const size_t capacity = journal->capacity == 0 ? 16 : journal->capacity * 2;
        journal_entry_t *entries = realloc(journal->entries, capacity * sizeof *entries);
        if (entries == NULL) {
            return false;
        }
        journal->entries = entries;
        journal->capacity = capacity;
    }
    journal->entries[journal->count++] = entry;
    return true;
}

void journal_read(journal_t *journal) {
    FILE *file = fopen(journal->path, "re");
    char line[128];
    journal->count = 0;
    if (file == NULL) {
        return;
    }
    if (fgets(line, sizeof line, file) == NULL || strcmp(line, header) != 0 || fgets(line, sizeof line, file) == NULL ||
        sscanf(line, "core %" SCNu32, &journal->cookie) != 1) {
        fprintf(stderr, "audiosession-hand: '%s' is not a journal of this version; it is ignored.\n", journal->path);
        fclose(file);
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char state[8] = "";
        journal_entry_t entry = {.serial = 0};
        if (sscanf(line, "%" SCNu64 " %7s", &entry.serial, state) == 2 && find(journal, entry.serial) == NULL) {
            entry.is_held = strcmp(state, "hold") == 0;
            append(journal, entry);
        }
    }
    fclose(file);
}

/// Replaces the file. Without entries, there is none.
static bool store(const journal_t *journal) {
    char draft[PATH_MAX];
    if (journal->count == 0) {
        return unlink(journal->path) == 0 || errno == ENOENT;
    }
    if (!beside(journal, ".new", draft)) {
        return false;
    }
    const int descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *file = descriptor == -1 ? NULL : fdopen(descriptor, "w");
    if (file == NULL) {
        return false;
    }
    fprintf(file, "%score %" PRIu32 "\n", header, journal->cookie);
    for (size_t i = 0; i < journal->count; i++) {
        const journal_entry_t *entry = &journal->entries[i];
        fprintf(file, "%" PRIu64 " %s\n", entry->serial, entry->is_held ? "hold" : "level");
    }
    const bool is_written = ferror(file) == 0;
    return (fclose(file) == 0) && is_written && rename(draft, journal->path) == 0;
}

bool journal_contains(const journal_t *journal, uint64_t serial) { return find(journal, serial) != NULL; }

bool journal_is_held(const journal_t *journal, uint64_t serial) {
    const journal_entry_t *entry = find(journal, serial);
    return entry != NULL && entry->is_held;
}

bool journal_set(journal_t *journal, uint64_t serial, bool is_held) {
    journal_entry_t *entry = find(journal, serial);
    if (entry == NULL) {
        if (!append(journal, (journal_entry_t){.serial = serial, .is_held = is_held})) {
            return false;
        }
        if (!store(journal)) {
            journal->count--;
            return false;
        }
        return true;
    }
    if (entry->is_held == is_held) {
        return true;
    }
    entry->is_held = is_held;
    if (!store(journal)) {
        entry->is_held = !is_held;
        return false;
    }
    return true;
}

void journal_remove(journal_t *journal, uint64_t serial) {
    journal_entry_t *entry = find(journal, serial);
    if (entry != NULL) {
        *entry = journal->entries[--journal->count];
        // A file that keeps the entry does no harm: a stream that is free is freed again.
        store(journal);
    }
}

void journal_restart(journal_t *journal, uint32_t cookie) {
    journal->count = 0;
    journal->cookie = cookie;
    store(journal);
}
