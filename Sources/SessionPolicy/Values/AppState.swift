/// Where an app is in its life.
public enum ApplicationState: String, Hashable, Sendable, Codable, CaseIterable {
    case foreground, background
    /// It does not run; it can ask for nothing until it is resumed.
    case suspended
}

/// What the sessions of one app share. An app of which nothing was told is in the foreground.
public struct AppState: Hashable, Sendable, Codable {
    public let id: AppID
    public var life = ApplicationState.foreground
    /// Its configuration says that it plays or records in the background (ACT-6, BG-1).
    public var declaresBackgroundAudio = false
    /// Whether it may hear the input (PERM-1).
    public var recordPermission = RecordPermission.undetermined
    /// It hears zeros of every input of its own (PERM-4).
    public var isInputMuted = false
    /// The media server that it uses, by name; nil while that is not known. It sees the devices of that server (ROUTE-2).
    public var server: String?

    public init(id: AppID) { self.id = id }

    /// Nothing was told of it.
    var isUntold: Bool { self == AppState(id: id) }
}

/// The user's answer to an app that wants to record (PERM-2).
public enum RecordPermission: String, Hashable, Sendable, Codable, CaseIterable {
    case undetermined, denied, granted
}

extension Category {
    /// Whether an app with declared background audio may be active with it in the background (BG-1).
    public var mayRunInBackground: Bool {
        switch self {
        case .playback, .playAndRecord, .record, .multiRoute: true
        case .ambient, .soloAmbient, .audioProcessing: false
        }
    }
}
