/// The stage of an app's life cycle.
public enum ApplicationState: String, Hashable, Sendable, Codable, CaseIterable {
    case foreground, background
    /// The app does not run and cannot request anything until it is resumed.
    case suspended
}

/// The state that the sessions of one app share. An app whose state was never reported is in the
/// foreground.
public struct AppState: Hashable, Sendable, Codable {
    public let id: AppID
    public var life = ApplicationState.foreground
    /// Whether the app's configuration declares that it plays or records in the background (ACT-6,
    /// BG-1).
    public var declaresBackgroundAudio = false
    /// Whether the app may receive live input (PERM-1).
    public var recordPermission = RecordPermission.undetermined
    /// Whether all inputs of the app deliver zeros (PERM-4).
    public var isInputMuted = false
    /// The name of the audio server that the app uses; nil while it is not known. The app sees the
    /// devices of that server (ROUTE-2).
    public var server: String?
    /// The uids of the server's devices that the app does not see: those that it awaits, and those
    /// that only other apps await. Its sessions keep their routes to them and have no sound there
    /// (SRV-2). Neither sent nor stored: each app reports its devices to the next arbiter again.
    var missingDevices: Set<String> = []
    /// Those that the app itself reported as awaited.
    var awaitedDevices: Set<String> = []

    public init(id: AppID) { self.id = id }

    private enum CodingKeys: String, CodingKey {
        case id, life, declaresBackgroundAudio, recordPermission, isInputMuted, server
    }

    /// Whether nothing was reported about the app.
    var isDefault: Bool { self == AppState(id: id) }
}
