/// Options that refine a category. The raw values are those of AVAudioSession.
public struct CategoryOptions: OptionSet, Hashable, Sendable, Codable {
    public var rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
    public static let duckOthers = CategoryOptions(rawValue: 0x2)
    public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
    public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
    /// Contains the bit of `mixWithOthers`.
    public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
    public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
    public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
    public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
    public static let farFieldInput = CategoryOptions(rawValue: 1 << 18)
    public static let bluetoothHighQualityRecording = CategoryOptions(rawValue: 1 << 19)
}

/// A row of the table of group OPT: one row for each option.
struct OptionRow {
    /// The modes of a category in which an option may be set.
    enum Modes {
        case any
        case only(Mode)

        func allows(_ mode: Mode) -> Bool {
            switch self {
            case .any: true
            case .only(let one): mode == one
            }
        }
    }

    var name: String
    var option: CategoryOptions
    /// The bit that identifies the option; `interruptSpokenAudioAndMixWithOthers` also contains the
    /// bit of `mixWithOthers`.
    var bit: UInt
    var rule: Rule
    var suits: [(category: Category, modes: Modes)]
    /// The further options that this one implies; visible in `Configuration.options` (OPT-1).
    var implies: CategoryOptions = []
    /// The options that the app or the mode must set as well.
    var needs: CategoryOptions = []

    func suits(_ category: Category, _ mode: Mode) -> Bool {
        suits.contains { $0.category == category && $0.modes.allows(mode) }
    }

    static let mixable: [(category: Category, modes: Modes)] = [
        (.playback, .any), (.playAndRecord, .any), (.multiRoute, .only(.default)),
    ]
    static let withInput: [(category: Category, modes: Modes)] = [
        (.record, .any), (.playAndRecord, .any), (.multiRoute, .any),
    ]

    /// The table of all options (keeps OPT-1 and OPT-2). An option that implies another one comes
    /// first, so that a refusal names the option that the app wrote.
    static let table: [OptionRow] = [
        OptionRow(
            name: "duckOthers", option: .duckOthers, bit: 0x2, rule: .opt1, suits: mixable + [(.ambient, .any)],
            implies: .mixWithOthers),
        OptionRow(
            name: "interruptSpokenAudioAndMixWithOthers", option: .interruptSpokenAudioAndMixWithOthers, bit: 0x10,
            rule: .opt1, suits: mixable, implies: .interruptSpokenAudioAndMixWithOthers),
        OptionRow(name: "mixWithOthers", option: .mixWithOthers, bit: 0x1, rule: .opt1, suits: mixable),
        OptionRow(
            name: "allowBluetoothHFP", option: .allowBluetoothHFP, bit: 0x4, rule: .opt2,
            suits: [(.record, .any), (.playAndRecord, .any), (.multiRoute, .only(.dualRoute))]),
        OptionRow(
            name: "defaultToSpeaker", option: .defaultToSpeaker, bit: 0x8, rule: .opt2, suits: [(.playAndRecord, .any)]),
        OptionRow(
            name: "allowBluetoothA2DP", option: .allowBluetoothA2DP, bit: 0x20, rule: .opt2,
            suits: [(.playAndRecord, .any)]),
        OptionRow(
            name: "allowAirPlay", option: .allowAirPlay, bit: 0x40, rule: .opt2, suits: [(.playAndRecord, .any)]),
        OptionRow(
            name: "overrideMutedMicrophoneInterruption", option: .overrideMutedMicrophoneInterruption, bit: 0x80,
            rule: .opt2, suits: withInput),
        OptionRow(
            name: "farFieldInput", option: .farFieldInput, bit: 1 << 18, rule: .opt2, suits: withInput,
            needs: .allowBluetoothHFP),
        OptionRow(
            name: "bluetoothHighQualityRecording", option: .bluetoothHighQualityRecording, bit: 1 << 19, rule: .opt2,
            suits: [(.playAndRecord, .only(.default))]),
    ]
}

extension CategoryOptions: CustomStringConvertible {
    /// Every option with its name, in the order of the table.
    public static let named: [(name: String, option: CategoryOptions)] = OptionRow.table.map { ($0.name, $0.option) }

    /// Returns the options that may be set on a category in a mode (keeps OPT-1 and OPT-2).
    public static func sanitized(to category: Category, mode: Mode) -> [(name: String, option: CategoryOptions)] {
        OptionRow.table.filter { $0.suits(category, mode) }.map { ($0.name, $0.option) }
    }

    /// The further options that these options imply (OPT-1).
    var implied: CategoryOptions {
        OptionRow.table.reduce(into: []) { implied, row in
            if rawValue & row.bit != 0 { implied.formUnion(row.implies) }
        }
    }

    /// The names, separated by commas, or "none"; unknown bits as a hexadecimal number.
    public var description: String {
        var names: [String] = []
        var rest = rawValue
        for row in OptionRow.table where rawValue & row.bit != 0 {
            names.append(row.name)
            rest &= ~row.option.rawValue
        }
        if rest != 0 { names.append("unknown bits 0x" + String(rest, radix: 16)) }
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }
}
