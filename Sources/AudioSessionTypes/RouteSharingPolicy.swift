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
