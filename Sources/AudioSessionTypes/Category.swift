/// The purpose of a session (group CAT). The API's `AudioSession.Category` also admits names that
/// do not exist; this type does not.
public enum Category: String, Hashable, Sendable, Codable, CaseIterable {
    case ambient, soloAmbient, playback, record, playAndRecord, audioProcessing, multiRoute
}
