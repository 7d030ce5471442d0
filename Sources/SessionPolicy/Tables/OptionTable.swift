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

    var option: CategoryOptions
    var rule: Rule
    var suits: [(category: Category, modes: Modes)]
    /// The further options that this one implies; visible in `Configuration.options` (OPT-1).
    var implies: CategoryOptions = []
    /// The options that the app or the mode must set as well.
    var needs: CategoryOptions = []

    /// The option's name.
    var name: String { CategoryOptions.named.first { $0.option == option }?.name ?? option.description }
    /// The bit that identifies the option.
    var bit: UInt { option.identifyingBit }

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
            option: .duckOthers, rule: .opt1, suits: mixable + [(.ambient, .any)],
            implies: .mixWithOthers),
        OptionRow(
            option: .interruptSpokenAudioAndMixWithOthers, rule: .opt1, suits: mixable,
            implies: .interruptSpokenAudioAndMixWithOthers),
        OptionRow(option: .mixWithOthers, rule: .opt1, suits: mixable),
        OptionRow(
            option: .allowBluetoothHFP, rule: .opt2,
            suits: [(.record, .any), (.playAndRecord, .any), (.multiRoute, .only(.dualRoute))]),
        OptionRow(
            option: .defaultToSpeaker, rule: .opt2, suits: [(.playAndRecord, .any)]),
        OptionRow(
            option: .allowBluetoothA2DP, rule: .opt2,
            suits: [(.playAndRecord, .any)]),
        OptionRow(
            option: .allowAirPlay, rule: .opt2, suits: [(.playAndRecord, .any)]),
        OptionRow(
            option: .overrideMutedMicrophoneInterruption, rule: .opt2, suits: withInput),
        OptionRow(
            option: .farFieldInput, rule: .opt2, suits: withInput,
            needs: .allowBluetoothHFP),
        OptionRow(
            option: .bluetoothHighQualityRecording, rule: .opt2,
            suits: [(.playAndRecord, .only(.default))]),
    ]
}

extension CategoryOptions {
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
}
