public import AudioSessionTypes
internal import Dispatch

/// Making ports for other programs.
extension AudioEngine {
    /// Makes ports for other programs: 1…`maximumChannels` channels. Opens the driver if necessary,
    /// and waits for it. Throws `AudioEngineError.invalidArgument` for an invalid name or channel
    /// count, or a `DriverError` if the driver has no such ports, the name is taken or all its
    /// ports are in use; then there are no ports.
    public func makePorts(name: String, direction: DevicePort.Direction, channels: Int) throws -> AudioPorts {
        guard (1...configuration.maximumChannels).contains(channels) else {
            throw AudioEngineError.invalidArgument(
                what: "\(channels) ports '\(name)'; valid: 1 to \(configuration.maximumChannels)")
        }
        guard !name.isEmpty, name.utf8.count <= 64, !name.utf8.contains(UInt8(ascii: ":")), !name.utf8.contains(0)
        else {
            throw AudioEngineError.invalidArgument(what: "ports '\(name)'; a name has 1 to 64 bytes and no colon")
        }
        try open()
        let group = PortGroup(direction: direction, name: name, channels: channels)
        // After the ports that were removed before are removed at the driver.
        let result = control.portRemovals.sync { Result { () throws(DriverError) in try driver.addPorts(group) } }
        return AudioPorts(group: group, range: try result.get(), control: control)
    }

    /// Makes an input that receives from ports of direction `input`: no session's permission
    /// applies to it, because it records no microphone. Voices may play it in the same cycle
    /// (`VoiceSource.input`). A signal that breaks off, because its program ends, fades out in 5
    /// ms. `captureFrames` is the number of recorded frames that may wait to be read; further
    /// frames are lost. Throws `noFreeInput`, `invalidArgument`, `commandQueueFull` or
    /// `outOfMemory`.
    public func makeInput(from ports: AudioPorts, captureFrames: Int = 65_536) throws(AudioEngineError) -> EngineInput {
        guard ports.belongs(to: control), ports.group.direction == .input else {
            throw .invalidArgument(what: "an input from ports '\(ports.group.name)', which receive nothing here")
        }
        let description = EnginePlan.InputDescription(
            channels: ports.group.channels, firstChannel: 0, source: ports.range, isProgram: true)
        return try makeInput(channels: ports.group.channels, captureFrames: captureFrames, ports: ports) { _ in
            (description, nil)
        }
    }
}
