/// The kind of device behind a port.
public enum PortType: String, Hashable, Sendable, Codable, CaseIterable {
    case lineIn, builtInMic, headsetMic, continuityMicrophone
    case lineOut, headphones, bluetoothA2DP, builtInReceiver, builtInSpeaker, hdmi, airPlay, displayPort
    case bluetoothLE, bluetoothHFP, usbAudio, carAudio, virtual, pci, fireWire, avb, thunderbolt

    /// Returns the type of the same device's port in the given direction, where the types differ:
    /// `headphones` for output, `headsetMic` for input.
    package func inDirection(_ direction: DevicePort.Direction) -> PortType {
        switch (self, direction) {
        case (.headphones, .input): .headsetMic
        case (.headsetMic, .output): .headphones
        case (.builtInSpeaker, .input), (.builtInReceiver, .input): .builtInMic
        case (.builtInMic, .output): .builtInSpeaker
        case (.lineOut, .input): .lineIn
        case (.lineIn, .output): .lineOut
        default: self
        }
    }
}
