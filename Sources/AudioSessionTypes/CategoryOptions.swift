/// Options that refine a category (group OPT). The raw values are those of AVAudioSession.
public struct CategoryOptions: OptionSet, Hashable, Sendable, Codable {
    public var rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Plays alongside others instead of interrupting them. Requires playback, playAndRecord, or
    /// multiRoute in mode default.
    public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
    /// Ducks others while the session is active; implies mixWithOthers. Can be set with the same
    /// categories, and with ambient.
    public static let duckOthers = CategoryOptions(rawValue: 0x2)
    /// The older name of allowBluetoothHFP.
    public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
    /// Allows two-way Bluetooth devices (HFP) in the route, as inputs and as outputs. Can be set
    /// with playAndRecord and record, and with multiRoute in mode dualRoute; no other category uses
    /// such devices (OPT-2).
    public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
    /// Routes to the built-in speaker instead of the receiver, if nothing is connected; requires
    /// playAndRecord (ROUTE-5).
    public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
    /// Interrupts sessions in mode spokenAudio and mixes with all others (DUCK-4). Contains the bit
    /// of mixWithOthers, and can be set with the same categories.
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
    /// Allows full-quality Bluetooth outputs (A2DP) in the route; can be set with playAndRecord.
    /// Categories without input always allow such outputs (OPT-2).
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
    /// Allows network outputs in the route; can be set with playAndRecord. Categories without input
    /// always allow them (OPT-2).
    public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    /// Keeps the session running, with zeros as input, when the microphone is muted in hardware
    /// (INT-10). Requires a category with input.
    public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
    /// Far-field input; requires a category with input, and allowBluetoothHFP.
    public static let farFieldInput = CategoryOptions(rawValue: 1 << 18)
    /// Full-quality recording from a Bluetooth microphone; requires playAndRecord in mode default.
    public static let bluetoothHighQualityRecording = CategoryOptions(rawValue: 1 << 19)

    /// Every option with its name. An option that implies another one comes before it, so that
    /// errors name the option that the app wrote.
    package static let named: [(name: String, option: CategoryOptions)] = [
        ("duckOthers", .duckOthers),
        ("interruptSpokenAudioAndMixWithOthers", .interruptSpokenAudioAndMixWithOthers),
        ("mixWithOthers", .mixWithOthers),
        ("allowBluetoothHFP", .allowBluetoothHFP),
        ("defaultToSpeaker", .defaultToSpeaker),
        ("allowBluetoothA2DP", .allowBluetoothA2DP),
        ("allowAirPlay", .allowAirPlay),
        ("overrideMutedMicrophoneInterruption", .overrideMutedMicrophoneInterruption),
        ("farFieldInput", .farFieldInput),
        ("bluetoothHighQualityRecording", .bluetoothHighQualityRecording),
    ]

    /// The bit that identifies an option: `interruptSpokenAudioAndMixWithOthers` also contains the
    /// bit of `mixWithOthers`.
    package var identifyingBit: UInt { self == .interruptSpokenAudioAndMixWithOthers ? 0x10 : rawValue }
}

extension CategoryOptions: CustomStringConvertible {
    /// The names, separated by commas, or "none"; unknown bits as a hexadecimal number.
    public var description: String {
        var names: [String] = []
        var rest = rawValue
        for (name, option) in Self.named where rawValue & option.identifyingBit != 0 {
            names.append(name)
            rest &= ~option.rawValue
        }
        if rest != 0 { names.append("unknown bits 0x" + String(rest, radix: 16)) }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}
