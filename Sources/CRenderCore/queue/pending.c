// Commands that are not yet due: a binary heap, ordered by time, then by arrival.
#include "queue/pending.h"

static bool earlier(const struct pending_command *a, const struct pending_command *b) RCORE_RT {
    return a->command.when != b->command.when ? a->command.when < b->command.when : a->order < b->order;
}

void pending_add(struct pending_heap *heap, struct command command) RCORE_RT {
    const struct pending_command added = {command, heap->next_order++};
    uint32_t hole = heap->count++;
    while (hole > 0) {
        const uint32_t parent = (hole - 1) / 2;
        if (!earlier(&added, &heap->commands[parent])) {
            break;
        }
        heap->commands[hole] = heap->commands[parent];
        hole = parent;
    }
    heap->commands[hole] = added;
}

struct command pending_remove_first(struct pending_heap *heap) RCORE_RT {
    const struct command first = heap->commands[0].command;
    const struct pending_command last = heap->commands[--heap->count];
    uint32_t hole = 0;
    for (;;) {
        uint32_t child = 2 * hole + 1;
        if (child >= heap->count) {
            break;
        }
        if (child + 1 < heap->count && earlier(&heap->commands[child + 1], &heap->commands[child])) {
            child += 1;
        }
        if (!earlier(&heap->commands[child], &last)) {
            break;
        }
        heap->commands[hole] = heap->commands[child];
        hole = child;
    }
    heap->commands[hole] = last;
    return first;
}
