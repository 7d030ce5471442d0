/// The specific use of a category (group MODE). The API's `AudioSession.Mode` also admits names
/// that do not exist; this type does not.
public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
    case `default`, voiceChat, videoChat, gameChat, videoRecording, measurement, moviePlayback, spokenAudio,
        voicePrompt,
        shortFormVideo, dualRoute
}
