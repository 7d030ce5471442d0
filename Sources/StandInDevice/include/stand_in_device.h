/// Stand-in devices: a JACK client with physical, terminal ports, which programs on its server take for hardware.
///
/// What reaches the air arrives at `playback_1…`; what comes from it leaves by `capture_1…`. Each port bears the alias
/// `stand-in:<kind>:<device name>:<channel>`, which says what kind of device it stands for (on PipeWire the port's name is in the last place). Plugging and unplugging is all there is to
/// its life: a process that is killed is a cable that was pulled.
#ifndef STAND_IN_DEVICE_H
#define STAND_IN_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Most ports in either direction.
#define STAND_IN_MAX_PORTS 64u
/// Most frames of latency that a device may claim.
#define STAND_IN_MAX_LATENCY 1048576u

/// What comes from the device's air, on each of its capture ports.
typedef enum stand_in_sound {
    STAND_IN_SILENCE,
    STAND_IN_RAMP, ///< frame n since the plug is ((n modulo 2^20) + 1) / 2^20: each sample tells its place, none is 0
    STAND_IN_TONE, ///< a sine of half the full scale
    STAND_IN_FILE, ///< a sound file, from its first frame, over and over; channel n of it on port n, silence on ports beyond its last
} stand_in_sound_t;

/// What a device is to be. The strings are read while it is plugged in and not kept.
typedef struct stand_in_options {
    const char *name;   ///< for people, and the client's: none of :/"\, at least one byte
    const char *kind;   ///< one of `stand_in_kinds`
    const char *server; ///< of the JACK server; NULL: the default one
    uint32_t outputs;   ///< channels towards the air, 0…STAND_IN_MAX_PORTS
    uint32_t inputs;    ///< channels from it, likewise; one port in all at least
    uint32_t latency;   ///< frames between its ports and the air, 0…STAND_IN_MAX_LATENCY
    stand_in_sound_t sound;
    double tone_hz;           ///< for STAND_IN_TONE: more than 0, less than half of the server's rate
    const char *source_path;  ///< for STAND_IN_FILE: of the server's sample rate
    const char *capture_path; ///< a WAV file (32-bit float) for all that arrives from the first cycle on, or NULL
} stand_in_options_t;

/// Why a device was not plugged in.
typedef enum stand_in_fault {
    STAND_IN_BAD_OPTIONS, ///< what it is to be cannot be
    STAND_IN_NO_SERVER,   ///< no server of that name runs
    STAND_IN_REFUSED,     ///< the server, or the system, said no
} stand_in_fault_t;

typedef struct stand_in stand_in_t;

/// The kinds that there are, ended by NULL. Static storage. [any]
const char *const *stand_in_kinds(void);

/// Plugs a device in: its ports are there on return. [control] NULL when that cannot be: `error` (of `error_size` bytes) then holds one
/// sentence that says why, and `fault` which kind of reason it is; it may be NULL. The caller owns the device.
stand_in_t *stand_in_plug(const stand_in_options_t *options, char *error, unsigned long error_size,
                          stand_in_fault_t *fault);

/// A descriptor that becomes readable when the server is gone. [any] Valid until the device is unplugged.
int stand_in_lost_fd(const stand_in_t *device);

/// Unplugs a device and frees it, after all that arrived was written; NULL does nothing. [control] False when some of it was not: `error`
/// then says what is missing. When the server is gone, JACK's own client is left to the end of the process: closing it then may never return.
bool stand_in_unplug(stand_in_t *device, char *error, unsigned long error_size);

#ifdef __cplusplus
}
#endif
#endif
