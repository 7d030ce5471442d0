#include "core/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *memory_allocate(size_t size) {
    if (size == 0 || size > SIZE_MAX - RCORE_ALIGNMENT) {
        return NULL;
    }
    const size_t rounded = (size + RCORE_ALIGNMENT - 1) / RCORE_ALIGNMENT * RCORE_ALIGNMENT;
    void *memory = aligned_alloc(RCORE_ALIGNMENT, rounded);
    if (memory != NULL) {
        memset(memory, 0, rounded); // touches every page
    }
    return memory;
}

size_t memory_lock(void *memory, size_t size) { return mlock(memory, size) == 0 ? 0 : size; }

void memory_unlock(void *memory, size_t size) { (void)munlock(memory, size); }
