/// Streamed sounds on a stage: noise in memory, and the same with only its head in memory.
#ifndef PAGE_CACHE_STAGE_H
#define PAGE_CACHE_STAGE_H

#include "expect.h"
#include "instrument_stage.h"
#include "random.h"

#include <math.h>
#include <string.h>

/// A sound in memory, and the same one with only its head in memory.
typedef struct sound {
    rcore_buffer_t *memory;
    rcore_buffer_t *head;
    rcore_buffer_t *streamed;
    float *frames;
    uint64_t nframes;
    uint32_t channels;
} sound_t;

/// Returns a sound of noise, as it would show a frame at a wrong place.
static inline sound_t sound_create(uint32_t channels, uint64_t nframes, uint64_t head_frames, uint64_t seed) {
    struct random random = random_seeded(seed);
    sound_t sound = {.frames = malloc(sizeof(float) * channels * nframes), .nframes = nframes, .channels = channels};
    for (uint64_t i = 0; i < channels * nframes; i++) {
        sound.frames[i] = random_float(&random, -0.1f, 0.1f);
    }
    sound.memory = rcore_buffer_create_interleaved(channels, nframes, sound.frames, NULL);
    sound.head = rcore_buffer_create_interleaved(channels, head_frames, sound.frames, NULL);
    return sound;
}

static inline void sound_stream(sound_t *sound, const stage_t *stage) {
    rcore_status_t status;
    sound->streamed = rcore_buffer_create_streamed(stage->core, sound->head, sound->nframes, sound, &status);
    EXPECT_EQUAL(status, RCORE_OK);
}

static inline void sound_destroy(sound_t *sound) {
    rcore_buffer_release(sound->memory);
    rcore_buffer_release(sound->head);
    rcore_buffer_release(sound->streamed);
    free(sound->frames);
}

/// Reads at most `most` pages. Returns their number.
static inline unsigned serve(rcore_t *core, unsigned most) {
    rcore_page_request_t request;
    unsigned count = 0;
    for (; count < most && rcore_next_page_request(core, &request); count++) {
        const sound_t *sound = request.context;
        EXPECT_EQUAL(request.channels, sound->channels);
        EXPECT(request.nframes > 0 && request.first_frame + request.nframes <= sound->nframes);
        rcore_complete_page_request(core, &request, sound->frames + request.first_frame * request.channels);
    }
    return count;
}

enum { all = 1000000, head = 9000, usual_pages = 256, usual_ahead = 20000 };

static inline stage_t stage_with_pages(uint32_t pages, uint32_t ahead_frames, uint32_t idle_frames) {
    rcore_config_t config = player_stage_config();
    config.max_voices = config.max_playing = 256;
    stage_t stage = stage_open(&config);
    rcore_page_cache_config_t cache = rcore_page_cache_config_default();
    cache.pages = pages;
    cache.ahead_frames = ahead_frames;
    cache.idle_frames = idle_frames;
    EXPECT_EQUAL(rcore_open_page_cache(stage.core, &cache), RCORE_OK);
    return stage;
}

/// Renders in periods of `period`, and reads the pages between them.
static inline void render_served(player_t *player, uint64_t nframes, uint32_t period) {
    for (uint64_t end = player->stage.nframes + nframes; player->stage.nframes < end;) {
        const uint64_t left = end - player->stage.nframes;
        stage_render(&player->stage, left < period ? left : period, period);
        serve(player->stage.core, all);
    }
}

static inline void expect_same(const player_t *a, const player_t *b, uint64_t nframes) {
    for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
        uint64_t frame = 0;
        while (frame < nframes && a->stage.out[channel][frame] == b->stage.out[channel][frame]) {
            frame++;
        }
        EXPECT_EQUAL(frame, nframes);
    }
}

enum { sounds = 3, zone_count = 12, scene_frames = 120000 };

static inline rcore_zone_t random_zone(struct random *random, const sound_t *sound) {
    const uint32_t rates[] = {24000, 44100, 48000, 0};
    rcore_zone_t zone = player_zone(sound->memory);
    zone.sample_rate = rates[random_below(random, 4)];
    zone.trigger = random_once_in(random, 5) ? RCORE_ZONE_RELEASE : RCORE_ZONE_ATTACK;
    zone.low_key = (uint8_t)random_below(random, 100);
    zone.high_key = zone.low_key + 27;
    zone.key_tracking = random_once_in(random, 3) ? 0.0f : random_float(random, -10, 10);
    zone.one_shot = random_once_in(random, 4);
    zone.loops = !zone.one_shot && zone.trigger == RCORE_ZONE_ATTACK && !random_once_in(random, 3);
    zone.leaves_loop = random_once_in(random, 2);
    zone.start_frame = random_once_in(random, 2) ? 0 : random_below(random, head / 8);
    zone.loop_start = 1000 + random_below(random, (uint32_t)sound->nframes / 2);
    const uint64_t longest = sound->nframes - zone.loop_start;
    zone.loop_end = zone.loop_start + 1 + random_below(random, (uint32_t)(random_once_in(random, 3) ? 100 : longest));
    const uint64_t length = zone.loop_end - zone.loop_start;
    const uint64_t most = length < zone.loop_start ? length : zone.loop_start;
    zone.loop_fade_frames = random_once_in(random, 2) ? 0 : random_below(random, (uint32_t)most + 1);
    zone.release_frames = random_below(random, 20000);
    zone.attack_frames = random_once_in(random, 2) ? 0 : random_below(random, 5000);
    zone.decay_frames = random_once_in(random, 2) ? 0 : random_below(random, 30000);
    zone.sustain = random_float(random, 0, 1);
    zone.filter.type = random_once_in(random, 4) ? RCORE_FILTER_LOW_PASS_12 : RCORE_FILTER_NONE;
    return zone;
}

static inline void send_random(player_t *player, struct random *random) {
    for (unsigned i = 0; i < 120; i++) {
        const uint8_t statuses[] = {0x80, 0x90, 0x90, 0x90, 0xE0, 0xB0};
        const uint8_t status = statuses[random_below(random, 6)];
        const uint8_t first = status == 0xB0 ? 64 : (uint8_t)random_below(random, 128);
        player_send(player, status, first, (uint8_t)random_below(random, 128),
                    INSTRUMENT_READY + random_below(random, scene_frames));
    }
}

/// A player of one sound, whose only zone is at its own pitch.
typedef struct scene {
    sound_t *sound;
    player_t player;
} scene_t;

static inline scene_t scene_open(uint32_t pages, uint32_t ahead_frames, uint32_t idle_frames,
                                 void (*change)(rcore_zone_t *zone)) {
    scene_t scene = {.sound = malloc(sizeof *scene.sound)}; // its address is the buffer's context
    *scene.sound = sound_create(1, 200000, head, 7);
    stage_t stage = stage_with_pages(pages, ahead_frames, idle_frames);
    sound_stream(scene.sound, &stage);
    rcore_zone_t zone = player_zone(scene.sound->streamed);
    zone.sample_rate = 0;
    if (change != NULL) {
        change(&zone);
    }
    scene.player = player_on(stage, NULL, &zone, 1);
    return scene;
}

static inline void scene_close(scene_t *scene) {
    player_close(&scene->player);
    sound_destroy(scene->sound);
    free(scene->sound);
}

static inline uint64_t underruns(const scene_t *scene) {
    return rcore_read_counters(scene->player.stage.core).underrun_frames;
}

enum { ramp = 240, start = 100, slow_frames = 46000 };
/// The first frames of pages of mono sounds.
enum { first_page = head + RCORE_PAGE_SAMPLES, second_page = first_page + RCORE_PAGE_SAMPLES };

#endif
