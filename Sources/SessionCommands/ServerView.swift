public import JackDriver

/// A JACK server as the commands show it.
public struct ServerView: Encodable, Sendable, Equatable {
    var reachable: Bool
    /// The name of the server; nil for the default one.
    var name: String?
    var version: String?
    var sampleRate: Int?
    var periodFrames: Int?
    var outputs: Int?
    var inputs: Int?
    /// Why the server is not reachable.
    var reason: String?
    /// Whether the server runs, but does not answer.
    var isHanging = false

    private enum CodingKeys: String, CodingKey {
        case reachable, name, version, sampleRate, periodFrames, outputs, inputs, reason
    }

    public init(name: String?, _ facts: ServerFacts) {
        reachable = true
        self.name = name
        version = facts.description
        sampleRate = facts.sampleRate
        periodFrames = facts.periodFrames
        outputs = facts.outputs
        inputs = facts.inputs
    }

    public init(name: String?, unreachable reason: String, isHanging: Bool = false) {
        reachable = false
        self.isHanging = isHanging
        self.name = name
        self.reason = reason
    }

    /// The name to display: "default", "PipeWire".
    var title: String { isPipeWire ? Self.title(of: Self.pipeWire) : name ?? "default" }

    /// Whether the server is PipeWire, reached through its own JACK library.
    var isPipeWire: Bool { version?.lowercased().contains(Self.pipeWire) == true }

    /// The name by which apps report PipeWire.
    static let pipeWire = "pipewire"

    /// Returns the name to display for a server that apps report under that name.
    static func title(of name: String) -> String { name == pipeWire ? "PipeWire" : name }

    /// A summary: "audiosession: jackd2 1.9.21, 48000 Hz, period 1024 frames (21.3 ms), 2 out, 2
    /// in".
    var summary: String {
        guard let version, let sampleRate, let periodFrames, let outputs, let inputs else {
            return "not reachable: \(reason ?? "no reply")"
        }
        let period = sampleRate > 0 ? " (\(Text.milliseconds(Double(periodFrames) / Double(sampleRate))))" : ""
        return
            "\(title): \(version), \(sampleRate) Hz, period \(periodFrames) frames\(period), \(outputs) out, \(inputs) in"
    }

    /// Returns the version of the JACK library that the loader chose, and whether it connects to
    /// this server.
    func text(ofLibrary version: String) -> String {
        let provider = version.contains("PipeWire") ? ", provided by PipeWire" : ""
        let connection = reachable ? "; connects to \(title)" : "; no server to connect to"
        return version + provider + connection
    }
}
