/// Among whom the session is arbitrated.
enum Arbitration: String, CaseIterable, Codable {
    case inProcess = "in-process"
    /// By an audiosessiond of the benchmark's own.
    case service
}

/// What the app has of the server before it activates.
enum Start: String, Codable {
    /// A host that has not reached it yet.
    case cold
    /// A host that has been active before, and kept its client.
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
