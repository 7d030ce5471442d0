// The OpenAL context of Examples/OpenAL: at an interruption it stands still, and afterwards it goes
// on at the next frame.
#define AL_ALEXT_PROTOTYPES
#include "expect.h"
#include "openal_context.h"
#include "openal_source.h"

#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { RATE = 48000, LENGTH = 1000, BLOCK = 1024 };

/// A loopback that plays a loop. The value of each frame is its number in the loop, from 1.
typedef struct {
    openal_loopback_t *loopback;
    uint32_t source;
    /// The next frame that OpenAL renders, unless it loses or repeats some.
    uint32_t next;
} game_t;

static game_t game(void) {
    openal_status_t status = OPENAL_NO_DEVICE;
    game_t game = {.loopback = openal_loopback_open(2, RATE, false, &status)};
    EXPECT_EQUAL(status, OPENAL_OK);
    if (game.loopback == NULL) {
        abort();
    }
    float samples[2 * LENGTH];
    for (unsigned frame = 0; frame < LENGTH; frame++) {
        samples[2 * frame] = (float)(frame + 1);
        samples[2 * frame + 1] = -(float)(frame + 1);
    }
    EXPECT_EQUAL(openal_source_play(game.loopback, samples, 2, LENGTH, RATE, &game.source), OPENAL_OK);
    return game;
}

static uint32_t offset(const game_t *game) {
    uint32_t frame = UINT32_MAX;
    EXPECT_EQUAL(openal_source_offset(game->loopback, game->source, &frame), OPENAL_OK);
    return frame;
}

/// Renders up to a block and expects the next frames of the loop. Returns the number rendered.
static uint32_t play(game_t *game, uint32_t nframes) {
    static _Thread_local float frames[2 * BLOCK];
    uint32_t rendered = 0;
    bool differs = false;
    EXPECT_EQUAL(openal_loopback_render(game->loopback, frames, nframes, &rendered), OPENAL_OK);
    for (uint32_t frame = 0; frame < rendered; frame++) {
        const float expected = (float)(game->next + 1);
        if (!differs) { // a failure shows the first wrong frame only
            EXPECT_EQUAL(frames[2 * frame], expected);
            EXPECT_EQUAL(frames[2 * frame + 1], -expected);
        }
        differs = differs || frames[2 * frame] != expected || frames[2 * frame + 1] != -expected;
        game->next = (game->next + 1) % LENGTH;
    }
    return rendered;
}

static void end(const game_t *game) {
    EXPECT_EQUAL(openal_loopback_close(game->loopback), OPENAL_OK);
    openal_loopback_destroy(game->loopback);
}

TEST(goes_on_at_the_next_frame) {
    game_t game_a = game();
    for (uint32_t round = 0; round < 100; round++) {
        const uint32_t nframes = 1 + (round * 389) % BLOCK;
        EXPECT_EQUAL(play(&game_a, nframes), nframes);
        EXPECT_EQUAL(offset(&game_a), game_a.next);
        EXPECT_EQUAL(openal_loopback_pause(game_a.loopback), OPENAL_OK);
        EXPECT(openal_loopback_is_paused(game_a.loopback));
        const uint32_t before = offset(&game_a);
        for (unsigned i = 0; i < 3; i++) {
            EXPECT_EQUAL(play(&game_a, BLOCK), 0);
            EXPECT_EQUAL(offset(&game_a), before);
        }
        EXPECT_EQUAL(openal_loopback_resume(game_a.loopback), OPENAL_OK);
        EXPECT_EQUAL(offset(&game_a), game_a.next);
    }
    end(&game_a);
}

TEST(the_context_is_null_during_the_interruption) {
    game_t game_a = game();
    openal_loopback_t *const loopback = game_a.loopback;
    EXPECT(openal_loopback_is_current(loopback));
    EXPECT_EQUAL(openal_source_move(loopback, game_a.source, 1, 0, 0), OPENAL_OK);
    for (unsigned i = 0; i < 2; i++) { // twice is the same as once
        EXPECT_EQUAL(openal_loopback_pause(loopback), OPENAL_OK);
        EXPECT(alcGetCurrentContext() == NULL);
    }
    EXPECT_EQUAL(openal_source_move(loopback, game_a.source, 1, 0, 0), OPENAL_NOT_CURRENT);
    uint32_t source = 0;
    const float samples[2] = {0, 0};
    EXPECT_EQUAL(openal_source_play(loopback, samples, 1, 2, RATE, &source), OPENAL_NOT_CURRENT);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQUAL(openal_loopback_resume(loopback), OPENAL_OK);
        EXPECT(alcGetCurrentContext() == openal_loopback_context(loopback));
    }
    EXPECT_EQUAL(openal_source_move(loopback, game_a.source, 0, 0, -1), OPENAL_OK);
    end(&game_a);
    EXPECT(alcGetCurrentContext() == NULL);
}

TEST(each_of_two_devices_pauses_alone) {
    game_t game_a = game(), game_b = game(); // b is current
    EXPECT_EQUAL(openal_loopback_pause(game_a.loopback), OPENAL_OK);
    EXPECT(openal_loopback_is_current(game_b.loopback));
    EXPECT_EQUAL(play(&game_a, 100), 0);
    EXPECT_EQUAL(play(&game_b, 100), 100);
    EXPECT_EQUAL(openal_loopback_pause(game_b.loopback), OPENAL_OK);
    EXPECT(alcGetCurrentContext() == NULL);
    EXPECT_EQUAL(openal_loopback_resume(game_a.loopback), OPENAL_OK);
    EXPECT(alcGetCurrentContext() == NULL); // a was not current either when it was paused
    EXPECT_EQUAL(play(&game_a, 100), 100);
    EXPECT_EQUAL(play(&game_b, 100), 0);
    EXPECT_EQUAL(openal_loopback_resume(game_b.loopback), OPENAL_OK);
    EXPECT(openal_loopback_is_current(game_b.loopback));

    // The app makes another context current during the pause: it stays.
    EXPECT_EQUAL(openal_loopback_pause(game_b.loopback), OPENAL_OK);
    EXPECT(alcMakeContextCurrent(openal_loopback_context(game_a.loopback)));
    EXPECT_EQUAL(openal_loopback_resume(game_b.loopback), OPENAL_OK);
    EXPECT(openal_loopback_is_current(game_a.loopback));
    EXPECT_EQUAL(play(&game_b, 100), 100);
    end(&game_b);
    EXPECT(openal_loopback_is_current(game_a.loopback));
    end(&game_a);
}

TEST(all_contexts_of_a_device_stand_still) {
    game_t game_a = game();
    ALCcontext *const first = openal_loopback_context(game_a.loopback);
    const ALCint format[] = {ALC_FORMAT_CHANNELS_SOFT,
                             ALC_STEREO_SOFT,
                             ALC_FORMAT_TYPE_SOFT,
                             ALC_FLOAT_SOFT,
                             ALC_FREQUENCY,
                             RATE,
                             ALC_HRTF_SOFT,
                             ALC_FALSE,
                             ALC_OUTPUT_LIMITER_SOFT,
                             ALC_FALSE,
                             0};
    ALCcontext *const second = alcCreateContext(alcGetContextsDevice(first), format);
    EXPECT(second != NULL && alcMakeContextCurrent(second));
    ALuint buffer = 0, source = 0;
    const float silence[2 * LENGTH] = {0};
    alGenBuffers(1, &buffer);
    alBufferData(buffer, AL_FORMAT_STEREO_FLOAT32, silence, sizeof silence, RATE);
    alGenSources(1, &source);
    alSourcei(source, AL_BUFFER, (ALint)buffer);
    alSourcei(source, AL_LOOPING, AL_TRUE);
    alSourcePlay(source);
    EXPECT_EQUAL(alGetError(), AL_NO_ERROR);

    EXPECT_EQUAL(play(&game_a, 300), 300);
    EXPECT_EQUAL(openal_loopback_pause(game_a.loopback), OPENAL_OK);
    EXPECT(alcGetCurrentContext() == second); // the first one was not current
    EXPECT_EQUAL(play(&game_a, 300), 0);
    ALint frame = 0;
    alGetSourcei(source, AL_SAMPLE_OFFSET, &frame);
    EXPECT_EQUAL(frame, 300);
    EXPECT_EQUAL(openal_loopback_resume(game_a.loopback), OPENAL_OK);
    EXPECT_EQUAL(play(&game_a, 300), 300);
    alGetSourcei(source, AL_SAMPLE_OFFSET, &frame);
    EXPECT_EQUAL(frame, 600);
    alcMakeContextCurrent(NULL);
    alcDestroyContext(second);
    end(&game_a);
}

TEST(closes_while_paused) {
    for (unsigned round = 0; round < 20; round++) {
        game_t game_a = game();
        EXPECT_EQUAL(play(&game_a, 100), 100);
        EXPECT_EQUAL(openal_loopback_pause(game_a.loopback), OPENAL_OK);
        end(&game_a);
    }
    openal_loopback_destroy(NULL);
    game_t game_b = game(); // a new one is not affected
    EXPECT_EQUAL(play(&game_b, 100), 100);
    end(&game_b);
}

TEST(a_closed_context_does_nothing) {
    game_t game_a = game();
    openal_loopback_t *const loopback = game_a.loopback;
    EXPECT_EQUAL(play(&game_a, 100), 100);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQUAL(openal_loopback_close(loopback), OPENAL_OK);
        EXPECT(alcGetCurrentContext() == NULL);
        EXPECT(openal_loopback_is_paused(loopback) && !openal_loopback_is_current(loopback));
        EXPECT_EQUAL(play(&game_a, 100), 0);
        EXPECT_EQUAL(openal_loopback_pause(loopback), OPENAL_OK);
        EXPECT_EQUAL(openal_loopback_resume(loopback), OPENAL_CLOSED);
        uint32_t frame = 0;
        EXPECT_EQUAL(openal_source_offset(loopback, game_a.source, &frame), OPENAL_CLOSED);
        EXPECT_EQUAL(openal_source_move(loopback, game_a.source, 0, 0, 0), OPENAL_NOT_CURRENT);
        EXPECT_EQUAL(openal_loopback_frames(loopback), 100);
    }
    openal_loopback_destroy(loopback);
}

TEST(reports_errors) {
    const struct {
        uint32_t channels, rate;
    } formats[] = {{0, RATE}, {3, RATE}, {9, RATE}, {2, 0}, {2, 7999}, {2, UINT32_MAX}};
    for (unsigned i = 0; i < sizeof formats / sizeof *formats; i++) {
        openal_status_t status = OPENAL_OK;
        EXPECT(openal_loopback_open(formats[i].channels, formats[i].rate, false, &status) == NULL);
        EXPECT_EQUAL(status, OPENAL_UNSUPPORTED_FORMAT);
    }
    game_t game_a = game();
    uint32_t rendered = 1, frame = 0;
    EXPECT_EQUAL(openal_loopback_render(game_a.loopback, NULL, 64, &rendered), OPENAL_DEVICE_FAILED);
    EXPECT_EQUAL(rendered, 0);
    EXPECT_EQUAL(openal_source_move(game_a.loopback, game_a.source + 100, 0, 0, 0), OPENAL_SOURCE_FAILED);
    EXPECT_EQUAL(openal_source_offset(game_a.loopback, game_a.source + 100, &frame), OPENAL_SOURCE_FAILED);
    EXPECT_EQUAL(openal_source_play(game_a.loopback, NULL, 3, 1, RATE, &frame), OPENAL_SOURCE_FAILED);
    EXPECT_EQUAL(play(&game_a, 64), 64); // none of this has changed anything
    EXPECT_EQUAL(openal_loopback_frames(game_a.loopback), 64);
    end(&game_a);
    for (openal_status_t status = OPENAL_OK; status <= OPENAL_OUT_OF_MEMORY; status++) {
        EXPECT(openal_status_text(status)[0] != 0);
    }
}

typedef struct {
    game_t game;
    atomic_bool ends;
} worker_t;

static void *render_until_the_end(void *context) {
    worker_t *const worker = context;
    for (uint32_t block = 1; !atomic_load(&worker->ends); block = block % 256 + 1) {
        play(&worker->game, block);
    }
    return NULL;
}

TEST(pauses_while_another_thread_renders) {
    worker_t worker = {.game = game()};
    openal_loopback_t *const loopback = worker.game.loopback;
    pthread_t thread;
    if (pthread_create(&thread, NULL, render_until_the_end, &worker) != 0) {
        abort();
    }
    uint64_t frames = 0;
    for (unsigned round = 0; round < 200; round++) {
        while (openal_loopback_frames(loopback) == frames) {
            sched_yield();
        }
        EXPECT_EQUAL(openal_loopback_pause(loopback), OPENAL_OK);
        frames = openal_loopback_frames(loopback);
        EXPECT_EQUAL(offset(&worker.game), frames % LENGTH);
        sched_yield();
        EXPECT_EQUAL(openal_loopback_frames(loopback), frames);
        EXPECT_EQUAL(offset(&worker.game), frames % LENGTH);
        EXPECT_EQUAL(openal_loopback_resume(loopback), OPENAL_OK);
    }
    atomic_store(&worker.ends, true);
    pthread_join(thread, NULL);
    end(&worker.game);
}

int main(void) {
    RUN(goes_on_at_the_next_frame);
    RUN(the_context_is_null_during_the_interruption);
    RUN(each_of_two_devices_pauses_alone);
    RUN(all_contexts_of_a_device_stand_still);
    RUN(closes_while_paused);
    RUN(a_closed_context_does_nothing);
    RUN(reports_errors);
    RUN(pauses_while_another_thread_renders);
    return test_result();
}
