// Instruments: see rcore_instrument.h.
#include "midi/instrument.h"

#include "core/core.h"

void instrument_message(rcore_t *core, rcore_instrument_t *instrument, const uint8_t *bytes, uint32_t size) RCORE_RT {
    (void)core, (void)instrument, (void)bytes, (void)size;
}
void instrument_silence(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT { (void)core, (void)instrument; }
void instrument_begin(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT { (void)core, (void)instrument; }
rcore_zone_t rcore_zone_default(void) { return (rcore_zone_t){0}; }
rcore_instrument_config_t rcore_instrument_config_default(void) { return (rcore_instrument_config_t){0}; }
rcore_instrument_t *rcore_instrument_create(const rcore_t *c, const rcore_instrument_config_t *d, const rcore_zone_t *z, uint32_t n, rcore_status_t *s) { (void)c, (void)d, (void)z, (void)n, (void)s; return NULL; }
void rcore_instrument_destroy(rcore_instrument_t *i) { (void)i; }
uint32_t rcore_instrument_voices(const rcore_instrument_t *i) RCORE_RT { (void)i; return 0; }
uint64_t rcore_instrument_missed_notes(const rcore_instrument_t *i) RCORE_RT { (void)i; return 0; }
