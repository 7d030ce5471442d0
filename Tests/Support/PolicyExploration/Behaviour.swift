package import SessionPolicy

/// The classes of configurations that the rules distinguish: how an app session treats other
/// sessions. Configurations of one class differ in routes and signal processing only, which no
/// arbitration rule reads.
package enum Behaviour: String, CaseIterable, Sendable {
    case primary, solo, spoken, mixable, mixableSpoken, ducker, ambient, ambientDucker, spokenInterrupter,
        duckingSpokenInterrupter, recorder, measuring, mixableMeasuring, playAndRecord, mixablePlayAndRecord,
        tolerantRecorder, shortFormVideo, processing, multiRoute, chat, mixableChat

    /// Those that differ without live input.
    package static let withoutInput = allCases.filter { $0 != .chat && $0 != .mixableChat }

    package var change: ConfigurationChange {
        switch self {
        case .primary: .category(.playback, mode: .default)
        case .solo: .category(.soloAmbient, mode: .default)
        case .spoken: .category(.playback, mode: .spokenAudio)
        case .mixable: .category(.playback, mode: .default, options: .mixWithOthers)
        case .mixableSpoken: .category(.playback, mode: .spokenAudio, options: .mixWithOthers)
        case .ducker: .category(.playback, mode: .default, options: .duckOthers)
        case .ambient: .category(.ambient, mode: .default)
        case .ambientDucker: .category(.ambient, mode: .default, options: .duckOthers)
        case .spokenInterrupter:
            .category(.playback, mode: .default, options: .interruptSpokenAudioAndMixWithOthers)
        case .duckingSpokenInterrupter:
            .category(.playback, mode: .default, options: [.interruptSpokenAudioAndMixWithOthers, .duckOthers])
        case .recorder: .category(.record, mode: .default)
        case .measuring: .category(.playback, mode: .measurement)
        case .mixableMeasuring: .category(.playback, mode: .measurement, options: .mixWithOthers)
        case .playAndRecord: .category(.playAndRecord, mode: .default)
        case .mixablePlayAndRecord: .category(.playAndRecord, mode: .default, options: .mixWithOthers)
        case .tolerantRecorder:
            .category(.playAndRecord, mode: .default, options: .overrideMutedMicrophoneInterruption)
        case .shortFormVideo: .category(.playback, mode: .shortFormVideo)
        case .processing: .category(.audioProcessing, mode: .default)
        case .multiRoute: .category(.multiRoute, mode: .default)
        case .chat: .category(.playAndRecord, mode: .voiceChat)
        case .mixableChat: .category(.playAndRecord, mode: .videoChat, options: .mixWithOthers)
        }
    }
}
