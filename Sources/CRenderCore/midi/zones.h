/// Set-up of an instrument's zones. All functions [control].
#ifndef RCORE_ZONES_H
#define RCORE_ZONES_H

#include "midi/instrument_state.h"

/// Returns whether all fields of a zone of an instrument of this core are within their ranges.
bool zone_valid(const rcore_t *core, const rcore_zone_t *zone);
/// Returns the number of entries in `zones_of_key` for these zones.
size_t zones_key_entries(const rcore_zone_t *zones, uint32_t count);
/// Fills `first_of_key` and `zones_of_key`, which has room for all entries, from `zones`.
void zones_index(rcore_instrument_t *instrument);
/// Connects each zone with the lists of the groups that it chokes and that choke it. `groups` and
/// `lists` have one entry per zone; `groups` is only used here.
void zones_connect_groups(rcore_instrument_t *instrument, uint32_t *groups, struct note_list *lists);

#endif
