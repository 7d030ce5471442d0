#include "voices/seek.h"

#include "voices/playhead.h"

void source_seek(struct voice *voice, uint64_t frame, uint32_t ramp_frames) RCORE_RT {
    if (voice->seek_remaining > 0 && ramp_frames > 0) {
        voice->seek_pending = true;
        voice->next_seek = frame;
        voice->next_seek_frames = ramp_frames;
        return;
    }
    voice->seek_pending = false;
    voice->seek_from = voice_playhead(voice);
    voice->seek_remaining = voice->seek_frames = ramp_frames;
    voice_set_playhead(voice,
                       (struct playhead){frame < voice->nframes ? frame : voice->nframes, voice->loops, false, false});
}

void source_follow_seek(struct voice *voice) RCORE_RT {
    if (voice->seek_pending && voice->seek_remaining == 0) {
        source_seek(voice, voice->next_seek, voice->next_seek_frames);
    }
}
