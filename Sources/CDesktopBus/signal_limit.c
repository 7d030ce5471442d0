#define _GNU_SOURCE
#include "signal_limit.h"
#include "bus_connection.h"

bool signal_limit_exceeds(signal_limit_t *limit, uint64_t *due_us) {
    const uint64_t now = bus_connection_now_us();
    if (now - limit->second_us >= 1000000) {
        limit->second_us = now;
        limit->count = 0;
    }
    if (++limit->count <= MAXIMUM_SIGNALS) {
        return false;
    }
    limit->muted_until_us = now + MUTE_US;
    *due_us = *due_us < limit->muted_until_us ? *due_us : limit->muted_until_us;
    return true;
}

bool signal_limit_ends(signal_limit_t *limit, uint64_t *due_us, uint64_t now_us) {
    const uint64_t until = limit->muted_until_us;
    if (until != 0 && until <= now_us) {
        limit->muted_until_us = 0;
        return true;
    }
    *due_us = until != 0 && until < *due_us ? until : *due_us;
    return false;
}
