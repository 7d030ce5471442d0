package import AudioRendering

/// The tables that determine the kind of a device: the first row that matches applies.
/// Documentation/Devices.md shows the same rows.
package enum DeviceTables {
    /// The kind of a port for each direction.
    package struct Types: Hashable, Sendable {
        package var output: PortType
        package var input: PortType

        init(_ both: PortType) { (output, input) = (both, both) }
        init(output: PortType, input: PortType) { (self.output, self.input) = (output, input) }

        package subscript(direction: DevicePort.Direction) -> PortType { direction == .output ? output : input }
    }

    package struct Row: Sendable {
        package var pattern: String
        package var types: Types

        private let glob: Glob

        fileprivate init(_ pattern: String, _ types: Types) {
            (self.pattern, self.types, glob) = (pattern, types, Glob(pattern))
        }

        func fits(_ text: String) -> Bool { glob.matches(text) }
        func fits(_ text: Glob.Text) -> Bool { glob.matches(text) }
    }

    package static let builtIn = Types(output: .builtInSpeaker, input: .builtInMic)
    package static let line = Types(output: .lineOut, input: .lineIn)
    package static let headset = Types(output: .headphones, input: .headsetMic)

    /// Types by a port's alias: the prefixes of JACK's own drivers.
    package static let aliases = [
        Row("firewire_pcm:*", Types(.fireWire)),
        Row("net_pcm:*", Types(.airPlay)),
        Row("netone_pcm:*", Types(.airPlay)),
    ]

    /// Types by the client's name: bridges that attach a device to a server.
    package static let clients = [
        Row("netadapter*", Types(.airPlay)),
        Row("zita-n2j*", Types(.airPlay)),
        Row("zita-j2n*", Types(.airPlay)),
        // A sound card on another clock; its kind is unknown unless the client is named after the
        // card.
        Row("zita-a2j*", Types(.usbAudio)),
        Row("zita-j2a*", Types(.usbAudio)),
        Row("alsa_in*", Types(.usbAudio)),
        Row("alsa_out*", Types(.usbAudio)),
        Row("audioadapter*", Types(.usbAudio)),
        Row("zalsa_in*", Types(.usbAudio)),
        Row("zalsa_out*", Types(.usbAudio)),
        Row("firewire*", Types(.fireWire)),
        Row("ffado*", Types(.fireWire)),
        Row("avb*", Types(.avb)),
        Row("jackd_avb*", Types(.avb)),
    ]

    /// Types by a port's name within its client, for ports that are terminal but not physical:
    /// netmanager names a client after the remote machine.
    package static let terminals = [
        Row("to_slave_*", Types(.airPlay)),
        Row("from_slave_*", Types(.airPlay)),
    ]

    /// Types by the driver of the sound card behind the port.
    package static let cardDrivers = [
        Row("USB-Audio", Types(.usbAudio)),
        Row("*bebob*", Types(.fireWire)),
        Row("*dice*", Types(.fireWire)),
        Row("*fireworks*", Types(.fireWire)),
        Row("*oxfw*", Types(.fireWire)),
        Row("*motu*", Types(.fireWire)),
        Row("*fireface*", Types(.fireWire)),
        Row("*digi00x*", Types(.fireWire)),
        Row("*tascam*", Types(.fireWire)),
        Row("*thunderbolt*", Types(.thunderbolt)),
        Row("*hdmi*", Types(.hdmi)),
        Row("*headpho*", headset),
        Row("dummy", Types(.virtual)),
        Row("loopback", Types(.virtual)),
        Row("HDA*", builtIn),
        Row("sof*", builtIn),
        Row("*", Types(.pci)),
    ]

    /// Types by the card's name for the part that is used. These rows take precedence over the
    /// driver.
    package static let cardParts = [
        Row("*displayport*", Types(.displayPort)),
        Row("*hdmi*", Types(.hdmi)),
        Row("*thunderbolt*", Types(.thunderbolt)),
    ]

    /// Types by words in the names of the client and its ports. PipeWire derives these names from
    /// the device's description.
    package static let words = [
        Row("*a2dp*", Types(.bluetoothA2DP)),
        Row("*hands-free*", Types(.bluetoothHFP)),
        Row("*handsfree*", Types(.bluetoothHFP)),
        Row("*hfp*", Types(.bluetoothHFP)),
        Row("*hsp*", Types(.bluetoothHFP)),
        Row("*bluez*headset*", Types(.bluetoothHFP)),
        Row("*bluetooth le*", Types(.bluetoothLE)),
        Row("*bluez*bap*", Types(.bluetoothLE)),
        Row("*bluez*", Types(output: .bluetoothA2DP, input: .bluetoothHFP)),
        Row("*bluetooth*", Types(output: .bluetoothA2DP, input: .bluetoothHFP)),
        Row("*airplay*", Types(.airPlay)),
        Row("*raop*", Types(.airPlay)),
        Row("*displayport*", Types(.displayPort)),
        Row("*hdmi*", Types(.hdmi)),
        Row("*headset*", headset),
        Row("*headphone*", headset),
        Row("*earpiece*", Types(output: .builtInReceiver, input: .builtInMic)),
        Row("*thunderbolt*", Types(.thunderbolt)),
        Row("*firewire*", Types(.fireWire)),
        Row("*usb*", Types(.usbAudio)),
        Row("*speaker*", builtIn),
        Row("*internal mic*", builtIn),
        Row("*built-in*", builtIn),
        Row("*line out*", line),
        Row("*line in*", line),
    ]
}
