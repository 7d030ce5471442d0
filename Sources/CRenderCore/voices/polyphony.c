// The voices that count towards `max_playing` are in one list per priority, oldest first. One bit
// per priority (`occupied_priorities`) records which lists are not empty. So every operation takes
// constant time, however many voices play.
#include "voices/polyphony.h"

#include "core/core.h"

// Returns the voice with index `index`; NULL for RCORE_NONE.
static struct voice *voice_at(const rcore_t *core, uint32_t index) RCORE_RT {
    return index == RCORE_NONE ? NULL : &core->voices.pool[index];
}

void polyphony_join(rcore_t *core, struct voice *voice) RCORE_RT {
    struct voice_list *list = &core->voices.polyphony.lists[voice->params.priority];
    const uint32_t index = (uint32_t)(voice - core->voices.pool);
    voice->older = list->newest;
    voice->newer = RCORE_NONE;
    struct voice *older = voice_at(core, voice->older);
    if (older != NULL) {
        older->newer = index;
    } else {
        list->oldest = index;
    }
    list->newest = index;
    voice->in_polyphony = true;
    core->voices.polyphony.occupied |= 1u << voice->params.priority;
    core->voices.polyphony.count += 1;
}

void polyphony_leave(rcore_t *core, struct voice *voice) RCORE_RT {
    if (!voice->in_polyphony) {
        return;
    }
    struct voice_list *list = &core->voices.polyphony.lists[voice->params.priority];
    struct voice *older = voice_at(core, voice->older);
    struct voice *newer = voice_at(core, voice->newer);
    if (older != NULL) {
        older->newer = voice->newer;
    } else {
        list->oldest = voice->newer;
    }
    if (newer != NULL) {
        newer->older = voice->older;
    } else {
        list->newest = voice->older;
    }
    if (list->oldest == RCORE_NONE) {
        core->voices.polyphony.occupied &= ~(1u << voice->params.priority);
    }
    voice->in_polyphony = false;
    core->voices.polyphony.count -= 1;
}

struct voice *polyphony_victim(const rcore_t *core, uint32_t priority, bool *refused) RCORE_RT {
    *refused = false;
    if (core->voices.polyphony.count < core->config.max_playing) {
        return NULL;
    }
    // At least one list is not empty, since max_playing is at least 1.
    const uint32_t lowest = (uint32_t)__builtin_ctz(core->voices.polyphony.occupied);
    *refused = lowest > priority;
    return *refused ? NULL : voice_at(core, core->voices.polyphony.lists[lowest].oldest);
}
