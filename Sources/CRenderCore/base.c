#include "rcore_base.h"

const char *rcore_status_text(rcore_status_t status) {
    switch (status) {
    case RCORE_OK:
        return "done";
    case RCORE_BAD_ARGUMENT:
        return "an argument is out of its range";
    case RCORE_NO_MEMORY:
        return "there is not enough memory";
    case RCORE_FULL:
        return "the queue or pool is full; try again after a period";
    case RCORE_STALE:
        return "the voice was released or has ended";
    case RCORE_NO_SLOT:
        return "the plan names a slot beyond the core's sizes";
    case RCORE_CONFLICT:
        return "the plan cannot follow the one before in one step";
    }
    return "unknown status";
}
