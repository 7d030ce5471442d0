public import SessionPolicy

/// The category, mode and options of a session that a command holds, from the options of its
/// command line.
public struct HoldConfiguration: Hashable, Sendable {
    /// What the session does to others.
    public enum Intent: String, CaseIterable, Sendable {
        case duck, interrupt, mix
    }

    public let category: SessionPolicy.Category
    public let mode: Mode
    public let options: CategoryOptions

    /// Combines an intent with explicit values, which replace those of the intent. Without both,
    /// the session ducks others. Throws if the intent and the values contradict each other, or if
    /// the values do not go together.
    public init(
        _ intent: Intent?, category: SessionPolicy.Category? = nil, mode: Mode? = nil, options: CategoryOptions = []
    ) throws(CommandError) {
        let isExplicit = category != nil || mode != nil || options != []
        let intent = intent ?? (isExplicit ? nil : .duck)
        self.category = category ?? .playback
        self.mode = mode ?? (intent == .duck && Mode.voicePrompt.suits(self.category) ? .voicePrompt : .default)
        self.options = options.union(try Self.options(intent, self.category, options))
        try checkTables()
    }

    /// Whether the session counts as one that plays, and as one that records.
    var hasOutput: Bool { category.traits.hasOutput }
    var hasInput: Bool { category.traits.hasInput }

    /// Returns the options that the intent adds.
    private static func options(
        _ intent: Intent?, _ category: SessionPolicy.Category, _ explicit: CategoryOptions
    ) throws(CommandError) -> CategoryOptions {
        // The option that makes the session mix; the one that implies the other comes first.
        let mixing = explicit.names.first { mixingOptions.contains($0) }
        switch intent {
        case nil: return []
        case .duck: return .duckOthers
        case .interrupt:
            guard category.traits.mixing != .always else {
                throw conflict(
                    "--interrupt and --category \(category.rawValue)", "sessions of that category mix with others")
            }
            if let mixing {
                throw conflict("--interrupt and --option \(mixing)", "a session that mixes interrupts no other")
            }
            return []
        case .mix:
            if let mixing, mixing != "mixWithOthers" {
                throw conflict("--mix and --option \(mixing)", "--mix leaves other sessions as they are")
            }
            guard category.traits.mixing != .never else {
                throw conflict(
                    "--mix and --category \(category.rawValue)", "sessions of that category never mix with others")
            }
            return category.traits.mixing == .always ? [] : .mixWithOthers
        }
    }

    private static let mixingOptions = ["duckOthers", "interruptSpokenAudioAndMixWithOthers", "mixWithOthers"]

    private static func conflict(_ pair: String, _ reason: String) -> CommandError {
        CommandError(.usage, "\(pair) exclude each other: \(reason). Leave one of them out.")
    }

    /// Throws if the category does not accept the mode or an option.
    private func checkTables() throws(CommandError) {
        guard mode.suits(category) else {
            throw CommandError(
                .usage,
                """
                --mode \(mode.rawValue) cannot be used with category \(category.rawValue), but with \
                \(Text.list(mode.categories.map(\.rawValue))).
                """)
        }
        let suitable = CategoryOptions.sanitized(to: category, mode: mode)
        for name in options.names where !suitable.contains(where: { $0.name == name }) {
            let advice = suitable.isEmpty ? "it accepts none" : "it accepts \(Text.list(suitable.map(\.name)))"
            throw CommandError(
                .usage,
                "Category \(category.rawValue) in mode \(mode.rawValue) does not accept option \(name); \(advice).")
        }
    }
}
