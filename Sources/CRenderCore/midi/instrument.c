// Instruments: see rcore_instrument.h.
#include "midi/instrument.h"

#include "core/core.h"

void instrument_message(rcore_t *core, rcore_instrument_t *instrument, const uint8_t *bytes, uint32_t size) RCORE_RT {
    (void)core, (void)instrument, (void)bytes, (void)size;
}
void instrument_silence(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT { (void)core, (void)instrument; }
void instrument_begin(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT { (void)core, (void)instrument; }
