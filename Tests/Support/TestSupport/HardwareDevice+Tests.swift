public import AudioRendering

extension HardwareDevice {
    /// A device with outputs only.
    public static func output(_ name: String, _ kind: HardwareKind, channels: Int = 2, latency: Int = 0)
        -> HardwareDevice
    {
        HardwareDevice(uid: name, ports: [.output(name, kind, channels: channels, latency: latency)])
    }

    /// A device with outputs and inputs.
    public static func headset(_ name: String, outputs: Int = 2, inputs: Int = 1) -> HardwareDevice {
        HardwareDevice(
            uid: name,
            ports: [
                .output(name, .headphones, channels: outputs),
                HardwarePort(
                    uid: name + ":input", name: name, kind: .headsetMic, direction: .input, channels: inputs),
            ])
    }
}

extension HardwarePort {
    fileprivate static func output(
        _ name: String, _ kind: HardwareKind, channels: Int, latency: Int = 0
    ) -> HardwarePort {
        HardwarePort(
            uid: name + ":output", name: name, kind: kind, direction: .output, channels: channels,
            latencyFrames: latency)
    }
}
