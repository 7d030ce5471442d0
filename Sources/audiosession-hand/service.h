/// The program between its start and its end: PipeWire, the journal, commands and events.
#ifndef HAND_SERVICE_H
#define HAND_SERVICE_H

#include "journal.h"
#include "options.h"

/// Repairs what the journal names, and then, unless that is all, serves until the input ends.
/// Returns the exit status.
int service_run(journal_t *journal, const hand_options_t *options);

#endif
