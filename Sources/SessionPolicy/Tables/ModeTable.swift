/// The table of group MODE: one row for each mode.
extension Mode {
    /// The categories that allow the mode; every other combination is refused (MODE-1).
    public var categories: [Category] {
        switch self {
        case .default: Category.allCases
        case .voiceChat, .videoChat, .gameChat: [.playAndRecord]
        case .videoRecording: [.playAndRecord, .record]
        case .measurement: [.playAndRecord, .record, .playback]
        case .moviePlayback, .shortFormVideo: [.playback]
        case .spokenAudio: [.playback, .soloAmbient, .playAndRecord, .multiRoute]
        case .voicePrompt: [.playback, .playAndRecord]
        case .dualRoute: [.multiRoute]
        }
    }

    /// The options that the mode sets; visible in `Configuration.options` (MODE-3).
    public var impliedOptions: CategoryOptions {
        switch self {
        case .voiceChat: .allowBluetoothHFP
        case .videoChat, .gameChat: [.allowBluetoothHFP, .defaultToSpeaker]
        default: []
        }
    }

    /// The options that the app must set with the mode; without them the mode is refused.
    public var neededOptions: CategoryOptions { self == .dualRoute ? .allowBluetoothHFP : [] }

    /// Whether the library may process the sound. In mode measurement it does not, so the session
    /// is not ducked (DUCK-3).
    public var allowsProcessing: Bool { self != .measurement }

    /// Whether a session in this mode is a conversation while its input runs (ACT-18).
    var isConversation: Bool { self == .voiceChat || self == .videoChat }

    public func suits(_ category: Category) -> Bool { categories.contains(category) }

    /// Returns the modes that can be used with at least one category of hardware with or without an
    /// input (keeps CAT-7).
    public static func available(hasInput: Bool) -> [Mode] {
        let categories = Category.available(hasInput: hasInput)
        return allCases.filter { mode in categories.contains(where: mode.suits) }
    }
}
