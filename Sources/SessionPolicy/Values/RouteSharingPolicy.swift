/// Whether a session shares the route of long-form audio or video (ROUTE-10).
public enum RouteSharingPolicy: UInt, Hashable, Sendable, Codable, CaseIterable {
    case `default` = 0
    case longFormAudio = 1
    /// Set by the system; an app cannot set it.
    case independent = 2
    case longFormVideo = 3

    var isLongForm: Bool { self == .longFormAudio || self == .longFormVideo }
}
