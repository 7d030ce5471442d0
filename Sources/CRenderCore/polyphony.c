// Voices with a place stand in a list for each priority, oldest first; a bit tells which lists are not empty. So every step takes the same
// time however many play.
#include "polyphony.h"

static struct voice *voice_at(const rcore_t *core, uint32_t index) RCORE_RT {
    return index == RCORE_NONE ? NULL : &core->voices[index];
}

void polyphony_join(rcore_t *core, struct voice *voice) RCORE_RT {
    struct voice_list *list = &core->placed[voice->params.priority];
    const uint32_t index = (uint32_t)(voice - core->voices);
    voice->older = list->newest;
    voice->newer = RCORE_NONE;
    struct voice *older = voice_at(core, voice->older);
    if (older != NULL) {
        older->newer = index;
    } else {
        list->oldest = index;
    }
    list->newest = index;
    voice->placed = true;
    core->occupied |= 1u << voice->params.priority;
    core->placed_count += 1;
}

void polyphony_leave(rcore_t *core, struct voice *voice) RCORE_RT {
    if (!voice->placed) {
        return;
    }
    struct voice_list *list = &core->placed[voice->params.priority];
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
        core->occupied &= ~(1u << voice->params.priority);
    }
    voice->placed = false;
    core->placed_count -= 1;
}

struct voice *polyphony_victim(const rcore_t *core, uint32_t priority, bool *refused) RCORE_RT {
    *refused = false;
    if (core->placed_count < core->config.max_playing) {
        return NULL;
    }
    const uint32_t lowest =
        (uint32_t)__builtin_ctz(core->occupied); // some list is not empty: max_playing is at least 1
    *refused = lowest > priority;
    return *refused ? NULL : voice_at(core, core->placed[lowest].oldest);
}
