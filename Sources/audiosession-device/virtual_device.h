/// Virtual devices: JACK clients with physical, terminal ports, which programs on their server
/// treat as hardware.
///
/// Audio towards the device's terminals arrives at `playback_1…`; audio from its terminals leaves
/// by `capture_1…`. Each port has the alias `virtual-device:<type>:<device name>:<channel>`, which
/// identifies the type of device (on PipeWire, the port's name takes the place of the channel). A
/// device can only be plugged in and unplugged; killing its process has the effect of pulling the
/// cable.
#ifndef VIRTUAL_DEVICE_H
#define VIRTUAL_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Maximum number of ports in each direction.
#define VIRTUAL_DEVICE_MAX_PORTS 64u
/// Greatest latency that a device may report, in frames.
#define VIRTUAL_DEVICE_MAX_LATENCY 1048576u

/// The signal from the device's terminals, on each of its capture ports.
typedef enum virtual_device_sound {
    VIRTUAL_DEVICE_SILENCE,
    /// Frame n since the device was plugged in is ((n modulo 2^20) + 1) / 2^20: each sample
    /// identifies its position, and none is 0.
    VIRTUAL_DEVICE_RAMP,
    /// A sine of half the full scale.
    VIRTUAL_DEVICE_TONE,
    /// A sound file in a loop, from its first frame on: channel n on port n, silence on the ports
    /// beyond its last channel.
    VIRTUAL_DEVICE_FILE,
} virtual_device_sound_t;

/// Description of a device. `virtual_device_plug` reads the strings and does not keep them.
typedef struct virtual_device_options {
    /// The device's name for users and the name of its client: 1…jack_client_name_size() - 1 bytes,
    /// none of :/"\, and not the server's name.
    const char *name;
    /// The type of device: one of `virtual_device_kinds`.
    const char *kind;
    /// Name of the JACK server; NULL: the default one.
    const char *server;
    /// Channels towards the device's terminals, 0…VIRTUAL_DEVICE_MAX_PORTS.
    uint32_t outputs;
    /// Channels from the device's terminals, 0…VIRTUAL_DEVICE_MAX_PORTS; a device needs at least
    /// one port in total.
    uint32_t inputs;
    /// Frames between its ports and its terminals, 0…VIRTUAL_DEVICE_MAX_LATENCY.
    uint32_t latency;
    virtual_device_sound_t sound;
    /// For VIRTUAL_DEVICE_TONE: above 0, below half of the server's sample rate.
    double tone_hz;
    /// For VIRTUAL_DEVICE_FILE: a file with the server's sample rate.
    const char *source_path;
    /// A WAV file (32-bit float) that records everything that arrives, from the first cycle on, or
    /// NULL.
    const char *capture_path;
} virtual_device_options_t;

/// Why a device could not be plugged in.
typedef enum virtual_device_fault {
    /// The options are invalid in themselves: a name, a type or a number.
    VIRTUAL_DEVICE_BAD_OPTIONS,
    /// No server of that name is running.
    VIRTUAL_DEVICE_NO_SERVER,
    /// The server or the system refused, a file cannot be read or written, or the signal does not
    /// fit the server's sample rate.
    VIRTUAL_DEVICE_REFUSED,
} virtual_device_fault_t;

typedef struct virtual_device virtual_device_t;

/// Returns the types of devices, terminated by NULL. Static storage. [any]
const char *const *virtual_device_kinds(void);

/// Plugs a device in: its ports exist on return. [control] Returns NULL on failure: `error` (of
/// `error_size` bytes) then holds one sentence that gives the reason, and `fault`, which may be
/// NULL, the kind of reason. The caller owns the device.
virtual_device_t *virtual_device_plug(const virtual_device_options_t *options, char *error, unsigned long error_size,
                                      virtual_device_fault_t *fault);

/// Returns a descriptor that becomes readable when `virtual_device_handle_event` must be called.
/// [any] Valid until the device is unplugged.
int virtual_device_fd(const virtual_device_t *device);

/// Sets the latencies again if the server asked for them. [control] Returns false if the server was
/// lost.
bool virtual_device_handle_event(virtual_device_t *device);

/// Unplugs a device and frees it, after everything that arrived was recorded; NULL does nothing.
/// [control] Returns false if the recording is incomplete: `error` then describes what is missing.
/// If the server was lost, does not close the JACK client, because the call might never return: its
/// memory stays allocated until the process ends.
bool virtual_device_unplug(virtual_device_t *device, char *error, unsigned long error_size);

#ifdef __cplusplus
}
#endif
#endif
