// A game in SDL2 that is an audio session: it pauses while a call interrupts it, is lowered while
// others speak, and has no music while the user's own player has some.
#include <SDL.h>
#include <audiosession/audiosession.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLE_RATE = 48000, STEP_FRAMES = SAMPLE_RATE / 2 };

static asession_gate_t *gate;
static SDL_atomic_t music_is_silent;

/// The next sample of the soundtrack: a bass line, which fades out and in.
static float next_music(Uint32 frame) {
    static const double notes[] = {110, 132, 164, 98};
    static double phase;
    static float level = 1;
    const float target = SDL_AtomicGet(&music_is_silent) != 0 ? 0 : 1;
    level += SDL_clamp(target - level, -0.0002f, 0.0002f);
    phase = fmod(phase + 6.283185307179586 * notes[frame / STEP_FRAMES % 4] / SAMPLE_RATE, 6.283185307179586);
    return 0.2f * level * (float)sin(phase);
}

/// The next sample of the effects: a step, twice a second.
static float next_effect(Uint32 frame) {
    const double seconds = (double)(frame % STEP_FRAMES) / SAMPLE_RATE;
    return 0.3f * (float)(exp(-40 * seconds) * sin(6.283185307179586 * 880 * seconds));
}

// [callback]
static void play(void *unused, Uint8 *stream, int size) {
    static Uint32 frame;
    float *samples = (float *)(void *)stream; // one channel
    const Uint32 nframes = (Uint32)size / sizeof *samples;
    const Uint32 audible = asession_gate_begin(gate, nframes); // none while paused
    for (Uint32 i = 0; i < nframes; i++) {
        samples[i] = i < audible ? next_music(frame) + next_effect(frame) : 0;
        frame += i < audible ? 1 : 0;
    }
    asession_gate_apply(gate, &samples, 1, nframes); // fades, ducks, applies the volume
    (void)unused;
}
// [end]

static void check(asession_status_t status, const asession_error_t *error) {
    if (status != ASESSION_OK) {
        SDL_Log("beat: %s", error->message);
    }
}

static void report(const char *what) {
    printf("beat: %s\n", what);
    fflush(stdout);
}

static bool is_active(const asession_t *session) {
    asession_state_t state;
    asession_state(session, &state);
    return session == NULL || state.activity == ASESSION_ACTIVE;
}

/// Follows the hint as it is now: an inactive session receives no events about it.
static void begin_playing(const asession_t *session) {
    asession_state_t state;
    asession_state(session, &state);
    SDL_AtomicSet(&music_is_silent, state.secondary_audio_should_be_silenced);
    report(state.secondary_audio_should_be_silenced ? "plays without music" : "plays");
}

/// Activates the session, or, while a call prevents that, has it wait: an event reports it then.
static void request_activation(asession_t *session) {
    asession_error_t error;
    check(asession_request_activation(session, &error), &error);
    if (is_active(session)) {
        begin_playing(session);
    }
}

// [events]
static void handle_session(asession_t *session) {
    asession_event_t event;
    asession_dispatch(session); // once in each turn of the game's loop
    while (asession_next_event(session, &event)) {
        if (event.kind == ASESSION_EVENT_INTERRUPTION_BEGAN) {
            report("interrupted"); // the gate is closed already
        } else if ((event.kind == ASESSION_EVENT_INTERRUPTION_ENDED && event.flag) ||
                   event.kind == ASESSION_EVENT_DEACTIVATED) {
            request_activation(session);
        } else if (event.kind == ASESSION_EVENT_ACTIVATED) { // it has waited
            begin_playing(session);
        } else if (event.kind == ASESSION_EVENT_SILENCE_HINT) {
            SDL_AtomicSet(&music_is_silent, event.flag);
            report(event.flag ? "without music" : "with music");
        }
    }
}
// [end]

/// Shows whether the game is paused, and waits for a sixtieth of a second. Any key ends a pause.
/// Returns whether the game goes on.
static bool show_frame(SDL_Window *window, asession_t *session) {
    SDL_FillRect(SDL_GetWindowSurface(window), NULL, is_active(session) ? 0xff2060c0 : 0xff303030);
    SDL_UpdateWindowSurface(window);
    bool goes_on = true;
    SDL_Event event;
    for (int wait = 16; SDL_WaitEventTimeout(&event, wait) != 0; wait = 0) {
        goes_on = goes_on && event.type != SDL_QUIT;
        if (event.type == SDL_KEYDOWN && !is_active(session)) {
            request_activation(session);
        }
    }
    return goes_on;
}

int main(int argc, char **argv) {
    (void)argc, (void)argv;
    asession_error_t error;
    asession_t *session = asession_open(NULL, &error);
    if (session == NULL) {
        SDL_Log("beat: plays without a session: %s", error.message);
    }
    gate = asession_gate(session);
    asession_gate_set_sample_rate(gate, SAMPLE_RATE);
    check(asession_set_category(session, ASESSION_AMBIENT, ASESSION_MODE_DEFAULT, 0, &error), &error);
    check(asession_set_playing(session, true, &error), &error);

    const SDL_AudioSpec wanted = {
        .freq = SAMPLE_RATE, .format = AUDIO_F32SYS, .channels = 1, .samples = 512, .callback = play};
    SDL_Window *window = NULL;
    SDL_AudioDeviceID device = 0;
    if (SDL_Init(SDL_INIT_VIDEO | SDL_INIT_AUDIO) == 0) {
        window = SDL_CreateWindow("Beat", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, 320, 120, 0);
        device = SDL_OpenAudioDevice(NULL, 0, &wanted, NULL, 0);
    }
    if (window == NULL || device == 0) {
        SDL_Log("beat: no window or no audio: %s", SDL_GetError());
        return EXIT_FAILURE;
    }
    SDL_PauseAudioDevice(device, 0); // silent until the session is active
    request_activation(session);
    if (!is_active(session)) {
        report("waits");
    }
    while (show_frame(window, session)) {
        handle_session(session);
    }
    SDL_CloseAudioDevice(device); // before the gate is freed
    SDL_Quit();
    asession_close(session);
    return EXIT_SUCCESS;
}
