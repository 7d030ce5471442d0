/// The arbiter of the session.
enum Arbitration: String, CaseIterable, Codable {
    case inProcess = "in-process"
    /// An audiosessiond that the benchmark starts.
    case service
}

/// The app's state before it activates.
enum Start: String, Codable {
    /// A host that has not yet connected to the server.
    case cold
    /// A host that has been active before and has kept its client.
    case warm
}

/// How a server ends.
enum Death: String, CaseIterable, Codable {
    case kill = "SIGKILL"
    case term = "SIGTERM"
}

enum Subject: String, CaseIterable {
    case ours = "swift-audio-session"
    case bound = "bare JACK client"
}
