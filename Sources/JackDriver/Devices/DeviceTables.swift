package import AudioRendering

/// The tables that determine the kind of a device: the first row that matches applies.
/// Documentation/Devices.md shows the same rows.
package enum DeviceTables {
    /// The kind of a port for each direction.
    package struct Kinds: Hashable, Sendable {
        package var output: HardwareKind
        package var input: HardwareKind

        init(_ both: HardwareKind) { (output, input) = (both, both) }
        init(output: HardwareKind, input: HardwareKind) { (self.output, self.input) = (output, input) }

        package subscript(direction: HardwarePort.Direction) -> HardwareKind { direction == .output ? output : input }
    }

    package struct Row: Sendable {
        package var pattern: String
        package var kinds: Kinds

        fileprivate init(_ pattern: String, _ kinds: Kinds) { (self.pattern, self.kinds) = (pattern, kinds) }

        func fits(_ text: String) -> Bool { Glob(pattern).matches(text) }
    }

    package static let builtIn = Kinds(output: .builtInSpeaker, input: .builtInMic)
    package static let line = Kinds(output: .lineOut, input: .lineIn)
    package static let headset = Kinds(output: .headphones, input: .headsetMic)

    /// Kinds by a port's alias: the prefixes of JACK's own drivers.
    package static let aliases = [
        Row("firewire_pcm:*", Kinds(.fireWire)),
        Row("net_pcm:*", Kinds(.airPlay)),
        Row("netone_pcm:*", Kinds(.airPlay)),
    ]

    /// Kinds by the client's name: bridges that attach a device to a server.
    package static let clients = [
        Row("netadapter*", Kinds(.airPlay)),
        Row("zita-n2j*", Kinds(.airPlay)),
        Row("zita-j2n*", Kinds(.airPlay)),
        // A sound card on another clock; its kind is unknown unless the client is named after the
        // card.
        Row("zita-a2j*", Kinds(.usbAudio)),
        Row("zita-j2a*", Kinds(.usbAudio)),
        Row("alsa_in*", Kinds(.usbAudio)),
        Row("alsa_out*", Kinds(.usbAudio)),
        Row("audioadapter*", Kinds(.usbAudio)),
        Row("zalsa_in*", Kinds(.usbAudio)),
        Row("zalsa_out*", Kinds(.usbAudio)),
        Row("firewire*", Kinds(.fireWire)),
        Row("ffado*", Kinds(.fireWire)),
        Row("avb*", Kinds(.avb)),
        Row("jackd_avb*", Kinds(.avb)),
    ]

    /// Kinds by a port's name within its client, for ports that are terminal but not physical:
    /// netmanager names a client after the remote machine.
    package static let terminals = [
        Row("to_slave_*", Kinds(.airPlay)),
        Row("from_slave_*", Kinds(.airPlay)),
    ]

    /// Kinds by the driver of the sound card behind the port.
    package static let cardDrivers = [
        Row("USB-Audio", Kinds(.usbAudio)),
        Row("*bebob*", Kinds(.fireWire)),
        Row("*dice*", Kinds(.fireWire)),
        Row("*fireworks*", Kinds(.fireWire)),
        Row("*oxfw*", Kinds(.fireWire)),
        Row("*motu*", Kinds(.fireWire)),
        Row("*fireface*", Kinds(.fireWire)),
        Row("*digi00x*", Kinds(.fireWire)),
        Row("*tascam*", Kinds(.fireWire)),
        Row("*thunderbolt*", Kinds(.thunderbolt)),
        Row("*hdmi*", Kinds(.hdmi)),
        Row("*headpho*", headset),
        Row("dummy", Kinds(.virtual)),
        Row("loopback", Kinds(.virtual)),
        Row("HDA*", builtIn),
        Row("sof*", builtIn),
        Row("*", Kinds(.pci)),
    ]

    /// Kinds by the card's name for the part that is used. These rows take precedence over the
    /// driver.
    package static let cardParts = [
        Row("*displayport*", Kinds(.displayPort)),
        Row("*hdmi*", Kinds(.hdmi)),
        Row("*thunderbolt*", Kinds(.thunderbolt)),
    ]

    /// Kinds by words in the names of the client and its ports. PipeWire derives these names from
    /// the device's description.
    package static let words = [
        Row("*a2dp*", Kinds(.bluetoothA2DP)),
        Row("*hands-free*", Kinds(.bluetoothHFP)),
        Row("*handsfree*", Kinds(.bluetoothHFP)),
        Row("*hfp*", Kinds(.bluetoothHFP)),
        Row("*hsp*", Kinds(.bluetoothHFP)),
        Row("*bluez*headset*", Kinds(.bluetoothHFP)),
        Row("*bluetooth le*", Kinds(.bluetoothLE)),
        Row("*bluez*bap*", Kinds(.bluetoothLE)),
        Row("*bluez*", Kinds(output: .bluetoothA2DP, input: .bluetoothHFP)),
        Row("*bluetooth*", Kinds(output: .bluetoothA2DP, input: .bluetoothHFP)),
        Row("*airplay*", Kinds(.airPlay)),
        Row("*raop*", Kinds(.airPlay)),
        Row("*displayport*", Kinds(.displayPort)),
        Row("*hdmi*", Kinds(.hdmi)),
        Row("*headset*", headset),
        Row("*headphone*", headset),
        Row("*earpiece*", Kinds(output: .builtInReceiver, input: .builtInMic)),
        Row("*thunderbolt*", Kinds(.thunderbolt)),
        Row("*firewire*", Kinds(.fireWire)),
        Row("*usb*", Kinds(.usbAudio)),
        Row("*speaker*", builtIn),
        Row("*internal mic*", builtIn),
        Row("*built-in*", builtIn),
        Row("*line out*", line),
        Row("*line in*", line),
    ]
}
