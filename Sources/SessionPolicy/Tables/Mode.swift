/// What a session specialises in. The table of group MODE: one row a mode.
public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
    case `default`, voiceChat, videoChat, gameChat, videoRecording, measurement, moviePlayback, spokenAudio,
        voicePrompt,
        shortFormVideo, dualRoute

    /// The categories it goes with; every other pair is refused (MODE-1).
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

    /// Options that it sets by itself; visible in `Configuration.options` (MODE-3).
    public var impliedOptions: CategoryOptions {
        switch self {
        case .voiceChat: .allowBluetoothHFP
        case .videoChat, .gameChat: [.allowBluetoothHFP, .defaultToSpeaker]
        default: []
        }
    }

    /// Options without which it is refused.
    public var neededOptions: CategoryOptions { self == .dualRoute ? .allowBluetoothHFP : [] }

    /// Whether we may change the sound: in measurement nothing of ours does, so it is not ducked (DUCK-3).
    public var allowsProcessing: Bool { self != .measurement }

    public func suits(_ category: Category) -> Bool { categories.contains(category) }

    /// The modes that some category of hardware with or without an input can use (keeps CAT-7).
    public static func available(hasInput: Bool) -> [Mode] {
        let categories = Category.available(hasInput: hasInput)
        return allCases.filter { mode in categories.contains(where: mode.suits) }
    }
}
