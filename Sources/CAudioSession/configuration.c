/// What a session plays: its category, mode, policy and options, and its preferences.
#include "session_state.h"

static const char *const categories[] = {"ambient",       "soloAmbient", "playback",       "record",
                                         "playAndRecord", "multiRoute",  "audioProcessing"};
static const char *const modes[] = {"default",        "voiceChat",      "videoChat",     "gameChat",
                                    "videoRecording", "measurement",    "moviePlayback", "spokenAudio",
                                    "voicePrompt",    "shortFormVideo", "dualRoute"};
static const char *const policies[] = {"default", "longFormAudio", "longFormVideo"};
static const char *const preferences[] = {"sampleRate", "ioBufferDuration", "inputChannels", "outputChannels"};

/// In the order in which they are looked for: one that includes another comes first.
static const struct {
    unsigned bits;
    const char *name;
} options_by_bits[] = {
    {ASESSION_INTERRUPT_SPOKEN_AUDIO_AND_MIX_WITH_OTHERS, "interruptSpokenAudioAndMixWithOthers"},
    {ASESSION_MIX_WITH_OTHERS, "mixWithOthers"},
    {ASESSION_DUCK_OTHERS, "duckOthers"},
    {ASESSION_ALLOW_BLUETOOTH_HFP, "allowBluetoothHFP"},
    {ASESSION_DEFAULT_TO_SPEAKER, "defaultToSpeaker"},
    {ASESSION_ALLOW_BLUETOOTH_A2DP, "allowBluetoothA2DP"},
    {ASESSION_ALLOW_AIR_PLAY, "allowAirPlay"},
    {ASESSION_OVERRIDE_MUTED_MICROPHONE_INTERRUPTION, "overrideMutedMicrophoneInterruption"},
    {ASESSION_FAR_FIELD_INPUT, "farFieldInput"},
    {ASESSION_BLUETOOTH_HIGH_QUALITY_RECORDING, "bluetoothHighQualityRecording"},
};

/// Returns the names of the options; NULL if there are unknown bits.
static json_object *option_names(unsigned options) {
    json_object *names = json_object_new_array();
    for (size_t i = 0; i < sizeof options_by_bits / sizeof *options_by_bits; i++) {
        const unsigned bits = options_by_bits[i].bits;
        if (options != 0 && (options & bits) == bits) {
            json_object_array_add(names, json_object_new_string(options_by_bits[i].name));
            options &= ~bits;
        }
    }
    if (options != 0) {
        json_object_put(names);
        return NULL;
    }
    return names;
}

asession_status_t asession_set_category_and_policy(asession_t *session, asession_category_t category,
                                                   asession_mode_t mode, asession_route_sharing_policy_t policy,
                                                   unsigned options, asession_error_t *error) {
    if ((unsigned)category >= COUNT(categories) || (unsigned)mode >= COUNT(modes) ||
        (unsigned)policy >= COUNT(policies)) {
        return fail(error, ASESSION_BAD_ARGUMENT,
                    "Category %d, mode %d or policy %d does not exist; use the constants.", (int)category, (int)mode,
                    (int)policy);
    }
    json_object *names = option_names(options);
    if (names == NULL) {
        return fail(error, ASESSION_BAD_ARGUMENT, "Options 0x%x have unknown bits; use the constants.", options);
    }
    json_object *message = new_action("configure");
    set_text(message, "category", categories[category]);
    set_text(message, "mode", modes[mode]);
    add_member(message, "options", names);
    set_text(message, "routeSharingPolicy", policies[policy]);
    return submit_setting(session, message, error);
}

asession_status_t asession_set_category(asession_t *session, asession_category_t category, asession_mode_t mode,
                                        unsigned options, asession_error_t *error) {
    return asession_set_category_and_policy(session, category, mode, ASESSION_ROUTE_SHARING_DEFAULT, options, error);
}

asession_status_t asession_prefer(asession_t *session, asession_preference_t preference, double value,
                                  asession_error_t *error) {
    if ((unsigned)preference >= COUNT(preferences) || !(value >= 0 && value <= 1e9)) {
        return fail(error, ASESSION_BAD_ARGUMENT, "Preference %d does not exist, or %g is not a value of 0 to 1e9.",
                    (int)preference, value);
    }
    json_object *message = new_action("prefer");
    set_text(message, "preference", preferences[preference]);
    add_member(message, "value", json_object_new_double(value));
    return submit_setting(session, message, error);
}
