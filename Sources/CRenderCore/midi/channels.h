/// The channels of an instrument: their controllers and MPE zones.
#ifndef RCORE_CHANNELS_H
#define RCORE_CHANNELS_H

#include "midi/instrument_state.h"

/// Sets all channels to their initial state, with the MPE zones of the configuration. The channels
/// have no notes. [any]
void channels_reset(rcore_instrument_t *instrument) RCORE_RT;
/// Follows a control change. [render]
void channels_control(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint8_t controller,
                      uint8_t value) RCORE_RT;

#endif
