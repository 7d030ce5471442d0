/// The names of remote commands and of repeat modes in the protocol.
#include "session_state.h"

const char *const command_names[COMMANDS] = {
    [ASESSION_COMMAND_PLAY] = "play",
    [ASESSION_COMMAND_PAUSE] = "pause",
    [ASESSION_COMMAND_TOGGLE_PLAY_PAUSE] = "togglePlayPause",
    [ASESSION_COMMAND_STOP] = "stop",
    [ASESSION_COMMAND_NEXT_TRACK] = "nextTrack",
    [ASESSION_COMMAND_PREVIOUS_TRACK] = "previousTrack",
    [ASESSION_COMMAND_SKIP] = "skip",
    [ASESSION_COMMAND_SEEK] = "seek",
    [ASESSION_COMMAND_SET_RATE] = "setRate",
    [ASESSION_COMMAND_SET_SHUFFLED] = "setShuffled",
    [ASESSION_COMMAND_SET_REPEAT_MODE] = "setRepeatMode",
    [ASESSION_COMMAND_RAISE] = "raise",
    [ASESSION_COMMAND_QUIT] = "quit",
};

const char *const repeat_mode_names[REPEAT_MODES] = {
    [ASESSION_REPEAT_OFF] = "off",
    [ASESSION_REPEAT_ONE] = "one",
    [ASESSION_REPEAT_ALL] = "all",
};
