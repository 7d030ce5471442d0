// Channels: controllers, registered parameters (RPN) and the zones of MPE (MIDI Polyphonic
// Expression 1.0).
//
// A controller applies to the channel's scope: the channel itself, and if it is the manager of an
// MPE zone, also its members.
#include "midi/channels.h"

#include "core/core.h"
#include "midi/note_levels.h"
#include "midi/notes.h"

#include <string.h>

enum {
    BANK = 0,
    DATA_ENTRY = 6,
    VOLUME = 7,
    PAN = 10,
    EXPRESSION = 11,
    BANK_LSB = 32,
    DATA_ENTRY_LSB = 38,
    VOLUME_LSB = 39,
    PAN_LSB = 42,
    SUSTAIN = 64,
    SOSTENUTO = 66,
    SOUND_FIRST = 70,
    SOUND_LAST = 79,
    EFFECTS_FIRST = 91,
    EFFECTS_LAST = 95,
    NRPN_LSB = 98,
    NRPN_MSB = 99,
    RPN_LSB = 100,
    RPN_MSB = 101,
    ALL_SOUND_OFF = 120,
    RESET_CONTROLLERS = 121,
    ALL_NOTES_OFF = 123,
    POLY_MODE = 127,
};

enum { RPN_BEND_RANGE = 0, RPN_MPE = 6, RPN_NULL = 127 };

enum { LOWER_MANAGER = 0, UPPER_MANAGER = 15, MAX_MEMBERS = 15, MAX_MEMBERS_OF_BOTH = 14, MAX_BEND_RANGE = 96 };

// Bend ranges that an MPE configuration message sets, in semitones.
static const float mpe_manager_range = 2.0f, mpe_member_range = 48.0f;

static bool in_scope(const struct channel *state, uint32_t channel) RCORE_RT {
    return (state->scope >> channel & 1) != 0;
}

// ---- MPE zones ----------------------------------------------------------------------------------

// Returns the manager of a channel in the current zones; itself if it is not a member.
static uint32_t manager_by_zones(const rcore_instrument_t *instrument, uint32_t channel) RCORE_RT {
    if (channel != LOWER_MANAGER && channel <= instrument->lower_members) {
        return LOWER_MANAGER;
    }
    if (channel != UPPER_MANAGER && channel + instrument->upper_members >= UPPER_MANAGER) {
        return UPPER_MANAGER;
    }
    return channel;
}

// Sets manager and scope of each channel from the current zones.
static void assign_channels(rcore_instrument_t *instrument) RCORE_RT {
    for (uint32_t i = 0; i < CHANNELS; i++) {
        instrument->channels[i].scope = 1u << i;
        instrument->channels[i].manager = (uint8_t)manager_by_zones(instrument, i);
    }
    for (uint32_t i = 0; i < CHANNELS; i++) {
        instrument->channels[instrument->channels[i].manager].scope |= 1u << i;
    }
}

// Returns whether "reset all controllers" leaves a controller as it is (RP-015).
static bool survives_reset(uint32_t controller) RCORE_RT {
    return controller == BANK || controller == BANK_LSB || controller == VOLUME || controller == PAN ||
           controller == VOLUME_LSB || controller == PAN_LSB ||
           (controller >= SOUND_FIRST && controller <= SOUND_LAST) ||
           (controller >= EFFECTS_FIRST && controller <= EFFECTS_LAST);
}

// Sets what "reset all controllers" sets (RP-015), except key pressures.
static void reset_controllers(struct channel *channel) RCORE_RT {
    for (uint32_t controller = 0; controller < CONTROLLERS; controller++) {
        channel->controllers[controller] =
            survives_reset(controller) ? channel->controllers[controller] : (uint8_t)UNSET;
    }
    channel->bend = 0;
    channel->expression = 127;
    channel->pressure = 0;
    channel->sustain = channel->sostenuto = false;
    channel->sostenuto_keys = (struct keys){{0}};
    channel->rpn_msb = channel->rpn_lsb = RPN_NULL;
}

void channels_reset(rcore_instrument_t *instrument) RCORE_RT {
    const rcore_instrument_config_t *config = &instrument->config;
    instrument->lower_members = config->lower_members;
    instrument->upper_members = config->upper_members;
    assign_channels(instrument);
    for (uint32_t i = 0; i < CHANNELS; i++) {
        struct channel *channel = &instrument->channels[i];
        memset(channel->controllers, UNSET, sizeof channel->controllers);
        reset_controllers(channel);
        channel->down = channel->pedalled = (struct keys){{0}};
        channel->volume = 127;
        channel->pan = 64;
        channel->program = 0;
        channel->bend_range = channel->manager != i ? config->member_bend_range : config->bend_range;
    }
}

// Releases the notes of a channel and resets its controllers, because it changes its MPE zone.
static void clear_channel(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel) RCORE_RT {
    memset(instrument->channels[channel].controllers, UNSET, CONTROLLERS);
    reset_controllers(&instrument->channels[channel]);
    notes_off_all(core, instrument, channel);
    notes_follow_pedals(core, instrument, channel);
    instrument->channels[channel].bend_range = instrument->config.bend_range;
}

// Follows an MPE configuration message: the zone of a manager gets `members` channels. Where it
// overlaps the other zone, that one becomes smaller.
static void configure_zone(rcore_t *core, rcore_instrument_t *instrument, uint32_t manager, uint8_t members) RCORE_RT {
    if ((manager != LOWER_MANAGER && manager != UPPER_MANAGER) || members > MAX_MEMBERS) {
        return;
    }
    const bool lower = manager == LOWER_MANAGER;
    uint8_t *own = lower ? &instrument->lower_members : &instrument->upper_members;
    uint8_t *other = lower ? &instrument->upper_members : &instrument->lower_members;
    *own = members;
    if (members > 0 && *other + members > MAX_MEMBERS_OF_BOTH) {
        *other = members < MAX_MEMBERS_OF_BOTH ? (uint8_t)(MAX_MEMBERS_OF_BOTH - members) : 0;
    }
    for (uint32_t i = 0; i < CHANNELS; i++) {
        if (manager_by_zones(instrument, i) != instrument->channels[i].manager) {
            clear_channel(core, instrument, i);
        }
    }
    assign_channels(instrument);
    for (uint32_t i = 0; i < CHANNELS; i++) {
        if (members > 0 && in_scope(&instrument->channels[manager], i)) {
            instrument->channels[i].bend_range = i == manager ? mpe_manager_range : mpe_member_range;
        }
        notes_follow_pedals(core, instrument, i); // a former manager's pedal no longer holds them
    }
    notes_follow(core, instrument, RCORE_MIDI_ALL_CHANNELS);
}

// ---- Registered parameters ----------------------------------------------------------------------

// Sets the bend range of a channel; on a member channel, that of all members of its zone.
static void set_bend_range(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, float range) RCORE_RT {
    const uint32_t manager = instrument->channels[channel].manager;
    const uint32_t members = instrument->channels[manager].scope & ~(1u << manager);
    const uint32_t channels = manager != channel ? members : 1u << channel;
    for (uint32_t i = 0; i < CHANNELS; i++) {
        if ((channels >> i & 1) != 0) {
            instrument->channels[i].bend_range = range < MAX_BEND_RANGE ? range : MAX_BEND_RANGE;
        }
    }
    notes_follow(core, instrument, instrument->channels[channel].scope | channels);
}

static void data_entry(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint8_t controller,
                       uint8_t value) RCORE_RT {
    const struct channel *state = &instrument->channels[channel];
    if (state->rpn_msb != 0) {
        return;
    }
    if (state->rpn_lsb == RPN_BEND_RANGE && controller == DATA_ENTRY) {
        set_bend_range(core, instrument, channel, value);
    } else if (state->rpn_lsb == RPN_BEND_RANGE) {
        set_bend_range(core, instrument, channel, (float)(int)state->bend_range + (float)value / 100.0f);
    } else if (state->rpn_lsb == RPN_MPE && controller == DATA_ENTRY) {
        configure_zone(core, instrument, channel, value);
    }
}

// ---- Pedals -------------------------------------------------------------------------------------

static void release_pedalled(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel) RCORE_RT {
    for (uint32_t i = 0; i < CHANNELS; i++) {
        if (in_scope(&instrument->channels[channel], i)) {
            notes_follow_pedals(core, instrument, i);
        }
    }
}

// When the sostenuto pedal goes down, it holds the keys that are down; when it is lifted, those
// that the manager's pedal does not hold.
static void set_sostenuto(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, bool down) RCORE_RT {
    struct channel *state = &instrument->channels[channel];
    if (down == state->sostenuto) {
        return;
    }
    state->sostenuto = down;
    for (uint32_t i = 0; i < CHANNELS; i++) {
        struct channel *member = &instrument->channels[i];
        if (!in_scope(state, i)) {
            continue;
        }
        if (down) {
            member->sostenuto_keys.words[0] |= member->down.words[0];
            member->sostenuto_keys.words[1] |= member->down.words[1];
        } else if (!member->sostenuto && !instrument->channels[member->manager].sostenuto) {
            member->sostenuto_keys = (struct keys){{0}};
        }
    }
    release_pedalled(core, instrument, channel);
}

// ---- Channel mode messages ----------------------------------------------------------------------

static void reset_all_controllers(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel) RCORE_RT {
    struct channel *state = &instrument->channels[channel];
    set_sostenuto(core, instrument, channel, false);
    const struct keys held = state->sostenuto_keys; // by the manager's pedal
    reset_controllers(state);
    state->sostenuto_keys = held;
    for (struct note *note = state->notes.first; note != NULL; note = note->links[LINK_CHANNEL].next) {
        note->pressure = 0;
    }
    release_pedalled(core, instrument, channel);
    notes_follow(core, instrument, state->scope);
}

static void channel_mode(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint8_t controller) RCORE_RT {
    if (controller == RESET_CONTROLLERS) {
        reset_all_controllers(core, instrument, channel);
        return;
    }
    for (uint32_t i = 0; i < CHANNELS; i++) {
        if (!in_scope(&instrument->channels[channel], i)) {
            continue;
        }
        if (controller == ALL_SOUND_OFF) {
            notes_stop(core, instrument, i);
        } else if (controller >= ALL_NOTES_OFF) {
            notes_off_all(core, instrument, i);
        }
    }
}

// ---- Controllers --------------------------------------------------------------------------------

// Sets a value that the levels of notes depend on.
static void set_level(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint8_t *level,
                      uint8_t value) RCORE_RT {
    *level = value;
    notes_follow(core, instrument, instrument->channels[channel].scope);
}

void channels_control(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint8_t controller,
                      uint8_t value) RCORE_RT {
    struct channel *state = &instrument->channels[channel];
    if (controller < CONTROLLERS) {
        state->controllers[controller] = value;
        if ((instrument->followed[controller / 64] >> controller % 64 & 1) != 0) {
            notes_follow(core, instrument, state->scope);
        }
    }
    switch (controller) {
    case VOLUME:
        set_level(core, instrument, channel, &state->volume, value);
        break;
    case PAN:
        set_level(core, instrument, channel, &state->pan, value);
        break;
    case EXPRESSION:
        set_level(core, instrument, channel, &state->expression, value);
        break;
    case SUSTAIN:
        state->sustain = value >= 64;
        release_pedalled(core, instrument, channel);
        break;
    case SOSTENUTO:
        set_sostenuto(core, instrument, channel, value >= 64);
        break;
    case DATA_ENTRY:
    case DATA_ENTRY_LSB:
        data_entry(core, instrument, channel, controller, value);
        break;
    case RPN_MSB:
        state->rpn_msb = value;
        break;
    case RPN_LSB:
        state->rpn_lsb = value;
        break;
    case NRPN_MSB:
    case NRPN_LSB: // an instrument has no other parameters
        state->rpn_msb = state->rpn_lsb = RPN_NULL;
        break;
    default:
        if (controller >= ALL_SOUND_OFF && controller <= POLY_MODE) {
            channel_mode(core, instrument, channel, controller);
        }
    }
}
