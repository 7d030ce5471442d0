internal import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// Devices that come and go, as calls: stand-ins for tests and tools (SIM-4), beside the audio server's own ports.
///
/// A stand-in takes part in every rule of routes; the sound itself goes on through the server's ports.
extension AudioSessionHost {
    /// Plugs a device in: the newest that a session may use becomes its route (keeps ROUTE-2). With outputs and inputs it is one device
    /// that goes both ways; a headset's microphone is a `headsetMic`, a machine's a `builtInMic`. Known by its name: plugged in again, it
    /// has changed. Throws badParam without a name or a channel.
    public func plug(_ name: String, type: AudioSession.Port, outputs: Int = 2, inputs: Int = 0) throws {
        let output = try type.known()
        var ports: [DevicePort] = []
        if outputs != 0 {
            ports.append(
                DevicePort(uid: name + ":output", name: name, type: output, direction: .output, channels: outputs))
        }
        if inputs != 0 {
            ports.append(
                DevicePort(uid: name + ":input", name: name, type: output.input, direction: .input, channels: inputs))
        }
        try submit(.plug(Device(uid: name, ports: ports)))
    }

    /// Pulls a device out; what plays there and is the app's now-playing session is interrupted (keeps ROUTE-4).
    public func unplug(_ name: String) throws { try submit(.unplug(name)) }

    /// The names of the devices that are plugged in, the last in last; the server's own ports are `server`.
    public var devices: [String] { arbiter.devices.map(\.uid) }

    /// The user picks an output by its uid, or takes the pick back with nil; it beats every other choice until its device leaves or
    /// another comes (keeps ROUTE-8).
    public func pickOutput(_ uid: String?) throws { try submit(.pick(.output, uid)) }

    /// The same, of an input.
    public func pickInput(_ uid: String?) throws { try submit(.pick(.input, uid)) }

    /// The server's ports, as a device of no known kind. Its rate and period make no other route.
    func noteServer(_ format: HardwareFormat) {
        func port(_ direction: DevicePort.Direction, _ name: String, _ channels: Int) -> [DevicePort] {
            let uid = direction.rawValue
            guard channels > 0 else { return [] }
            return [
                DevicePort(
                    uid: uid, name: "\(name) of \(format.server)", type: .virtual, direction: direction,
                    channels: channels)
            ]
        }
        let device = Device(
            uid: Device.serverUID,
            ports: port(.output, "Output", format.outputChannels) + port(.input, "Input", format.inputChannels))
        let isNew = server.withLock { known in
            defer { known = device }
            return known != device
        }
        if isNew, !device.ports.isEmpty { try? submit(.plug(device)) }
    }
}

extension PortType {
    /// The input that goes with an output of this kind.
    fileprivate var input: PortType {
        switch self {
        case .headphones: .headsetMic
        case .builtInSpeaker, .builtInReceiver: .builtInMic
        case .lineOut: .lineIn
        default: self
        }
    }
}
