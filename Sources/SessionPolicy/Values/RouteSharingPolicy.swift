/// Whether a session shares the route of long programmes (ROUTE-10).
public enum RouteSharingPolicy: UInt, Hashable, Sendable, Codable, CaseIterable {
    case `default` = 0
    case longFormAudio = 1
    /// Made by the system; not the app's to set.
    case independent = 2
    case longFormVideo = 3

    var isLongForm: Bool { self == .longFormAudio || self == .longFormVideo }
}
