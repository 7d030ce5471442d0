#include "rcore_base.h"

const char *rcore_status_text(rcore_status_t status) {
    switch (status) {
    case RCORE_OK:
        return "success";
    case RCORE_BAD_ARGUMENT:
        return "an argument is out of range";
    case RCORE_NO_MEMORY:
        return "not enough memory";
    case RCORE_FULL:
        return "the queue or pool is full; try again after a cycle";
    case RCORE_STALE:
        return "the voice has ended or was released";
    case RCORE_NO_SLOT:
        return "the plan exceeds the core's limits";
    case RCORE_CONFLICT:
        return "the plan conflicts with one that is still in use; post an intermediate plan first";
    }
    return "unknown status";
}
