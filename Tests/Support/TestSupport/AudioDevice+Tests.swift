public import AudioSessionTypes

extension AudioDevice {
    /// A device with outputs only.
    public static func output(_ name: String, _ type: PortType, channels: Int = 2) -> AudioDevice {
        AudioDevice(uid: name, ports: [.output(name, type, channels: channels)])
    }

    /// A device with outputs and inputs.
    public static func headset(_ name: String, outputs: Int = 2, inputs: Int = 1) -> AudioDevice {
        AudioDevice(
            uid: name,
            ports: [
                .output(name, .headphones, channels: outputs),
                DevicePort(
                    uid: name + ":input", name: name, type: .headsetMic, direction: .input, channels: inputs),
            ])
    }
}

extension DevicePort {
    fileprivate static func output(_ name: String, _ type: PortType, channels: Int) -> DevicePort {
        DevicePort(uid: name + ":output", name: name, type: type, direction: .output, channels: channels)
    }
}
