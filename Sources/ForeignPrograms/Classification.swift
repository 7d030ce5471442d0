internal import ArbiterService
internal import SessionPolicy

extension ConfigurationChange {
    /// Whether a session that is so configured mixes with others.
    var mixes: Bool {
        guard case .category(let category, let mode, let options, _) = self else { return false }
        return Configuration(category: category, mode: mode ?? .default, requestedOptions: options).isMixable(
            outputMuted: false)
    }
}

extension ProgramKind {
    /// The configuration of its session. Without `interrupts`, players mix with others.
    func configuration(interrupts: Bool) -> ConfigurationChange {
        let mixing: CategoryOptions = interrupts ? [] : .mixWithOthers
        return switch self {
        case .conversation: .category(.playAndRecord, mode: .voiceChat)
        case .prompt: .category(.playback, mode: .voicePrompt, options: .duckOthers)
        case .movie: .category(.playback, mode: .moviePlayback, options: mixing)
        case .music: .category(.playback, mode: .default, options: mixing)
        case .game, .notification: .category(.ambient, mode: .default)
        case .other: .category(.playback, mode: .default, options: .mixWithOthers)
        }
    }

    /// Whether its session lowers others as long as it is active.
    var ducksOthers: Bool { self == .prompt }

    /// Whether one stream of this kind decides for a program that also has streams of which nothing
    /// is known.
    var outranksUnknown: Bool {
        switch self {
        case .conversation, .prompt, .movie, .music: true
        case .game, .notification, .other: false
        }
    }

    /// Whether the program may be held at its frame. Otherwise it is silenced and runs on.
    var mayBeHeld: Bool { self != .notification && self != .conversation }
}

/// How a program was classified, and by which evidence.
struct Classification: Hashable, Sendable {
    enum Evidence: String, Hashable, Sendable {
        case settings, role, mediaPlayer, none
    }

    var kind: ProgramKind
    var evidence: Evidence
    /// The value of the evidence: the entry of the settings, the role, or the name on the bus.
    var detail: String?
    /// The entry of the settings that applies; nil if none does.
    var entry: String?
    /// The attenuation while it is ducked, in dB; nil: as the arbiter says.
    var attenuation: Double?
    /// Whether it lowers others, if it does, only while it is audible.
    var ducksOnlyWhileAudible: Bool

    init(
        _ kind: ProgramKind, by evidence: Evidence, _ detail: String? = nil, entry: String? = nil,
        attenuation: Double? = nil, ducksOnlyWhileAudible: Bool = true
    ) {
        self.kind = kind
        self.evidence = evidence
        self.detail = detail
        self.entry = entry
        self.attenuation = attenuation
        self.ducksOnlyWhileAudible = ducksOnlyWhileAudible
    }
}
