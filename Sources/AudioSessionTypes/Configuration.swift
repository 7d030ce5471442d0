/// The purpose of a session (group CAT). The API's `AudioSession.Category` also admits names that
/// do not exist; this type does not.
public enum Category: String, Hashable, Sendable, Codable, CaseIterable {
    case ambient, soloAmbient, playback, record, playAndRecord, audioProcessing, multiRoute
}

/// The specific use of a category (group MODE). The API's `AudioSession.Mode` also admits names
/// that do not exist; this type does not.
public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
    case `default`, voiceChat, videoChat, gameChat, videoRecording, measurement, moviePlayback, spokenAudio,
        voicePrompt,
        shortFormVideo, dualRoute
}

/// Whether a session shares its route with other long-form audio (ROUTE-10). The raw values are
/// those of AVAudioSession.
public enum RouteSharingPolicy: UInt, Hashable, Sendable, Codable, CaseIterable {
    case `default` = 0
    case longFormAudio = 1
    /// Set by the system; an app cannot set it.
    case independent = 2
    case longFormVideo = 3

    /// The older name of longFormAudio.
    public static var longForm: RouteSharingPolicy { .longFormAudio }
}

/// The user's answer to an app that requests permission to record (PERM-2). The raw values are
/// those of AVAudioApplication.
public enum RecordPermission: Int, Hashable, Sendable, Codable, CaseIterable {
    case undetermined = 0x756e_6474
    case denied = 0x6465_6e79
    case granted = 0x6772_6e74
}
