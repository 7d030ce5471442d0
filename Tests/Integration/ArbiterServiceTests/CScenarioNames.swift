import CAudioSession
import SessionPolicy

// The C names of the values that scenarios use.

extension asession_category_t {
    init(_ category: SessionPolicy.Category) {
        self =
            switch category {
            case .ambient: ASESSION_AMBIENT
            case .soloAmbient: ASESSION_SOLO_AMBIENT
            case .playback: ASESSION_PLAYBACK
            case .record: ASESSION_RECORD
            case .playAndRecord: ASESSION_PLAY_AND_RECORD
            case .multiRoute: ASESSION_MULTI_ROUTE
            case .audioProcessing: ASESSION_AUDIO_PROCESSING
            }
    }
}

extension asession_mode_t {
    init(_ mode: Mode) {
        self =
            switch mode {
            case .default: ASESSION_MODE_DEFAULT
            case .voiceChat: ASESSION_VOICE_CHAT
            case .videoChat: ASESSION_VIDEO_CHAT
            case .gameChat: ASESSION_GAME_CHAT
            case .videoRecording: ASESSION_VIDEO_RECORDING
            case .measurement: ASESSION_MEASUREMENT
            case .moviePlayback: ASESSION_MOVIE_PLAYBACK
            case .spokenAudio: ASESSION_SPOKEN_AUDIO
            case .voicePrompt: ASESSION_VOICE_PROMPT
            case .shortFormVideo: ASESSION_SHORT_FORM_VIDEO
            case .dualRoute: ASESSION_DUAL_ROUTE
            }
    }
}

extension asession_route_sharing_policy_t {
    init(_ policy: RouteSharingPolicy) {
        self =
            switch policy {
            case .default, .independent: ASESSION_ROUTE_SHARING_DEFAULT
            case .longFormAudio: ASESSION_ROUTE_SHARING_LONG_FORM_AUDIO
            case .longFormVideo: ASESSION_ROUTE_SHARING_LONG_FORM_VIDEO
            }
    }
}

extension asession_event_t {
    /// The name that the event has for both apps; nil if the Swift library reports it otherwise or
    /// not at all.
    var scenarioName: String? {
        switch kind {
        case ASESSION_EVENT_INTERRUPTION_BEGAN: "interruption began: \(reasonName)"
        case ASESSION_EVENT_INTERRUPTION_ENDED: "interruption ended: \(flag)"
        case ASESSION_EVENT_SILENCE_HINT: "silence hint: \(flag)"
        case ASESSION_EVENT_ROUTE_CHANGED: "route changed: \(reasonName)"
        case ASESSION_EVENT_VOLUME_CHANGED: "volume: \(Float(value))"
        case ASESSION_EVENT_INPUT_MUTE_CHANGED: "input muted: \(flag)"
        case ASESSION_EVENT_OUTPUT_MUTE_CHANGED: "output muted: \(flag)"
        case ASESSION_EVENT_AVAILABLE_INPUTS_CHANGED: "available inputs"
        case ASESSION_EVENT_RECORD_PERMISSION_CHANGED: "permission"
        case ASESSION_EVENT_ACTIVATED: "activated"
        case ASESSION_EVENT_REMOTE_COMMAND:
            "command: \(command == ASESSION_COMMAND_PLAY ? "play" : command == ASESSION_COMMAND_PAUSE ? "pause" : "other")"
        case ASESSION_EVENT_DEACTIVATED: "deactivated"
        case ASESSION_EVENT_OUTPUT_DISCONNECTED, ASESSION_EVENT_RECORD_PERMISSION_NEEDED: nil
        default: "event \(kind.rawValue)"
        }
    }
}
