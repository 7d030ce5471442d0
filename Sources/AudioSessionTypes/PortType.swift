/// The kind of device behind a port.
public enum PortType: String, Hashable, Sendable, Codable, CaseIterable {
    case lineIn, builtInMic, headsetMic, continuityMicrophone
    case lineOut, headphones, bluetoothA2DP, builtInReceiver, builtInSpeaker, hdmi, airPlay, displayPort
    case bluetoothLE, bluetoothHFP, usbAudio, carAudio, virtual, pci, fireWire, avb, thunderbolt
}
