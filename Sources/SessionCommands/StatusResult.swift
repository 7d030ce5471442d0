public import JackDriver
public import SessionArbiter
public import SessionPolicy

/// `audiosession status`: the complete state at one moment.
public struct StatusResult: CommandResult {
    private var server: ServerView
    /// The version of the JACK library that the loader chose.
    private var library: String
    private var arbiter: ArbiterView
    /// The process ids of the apps, by the server that they use.
    private var servers: [String: [UInt64]]?
    private var devices: [DeviceView]?
    private var volume: Float?
    private var ringVolume: Float?
    private var silentSwitch: Bool?
    private var screenLocked: Bool?
    private var doNotDisturb: Bool?
    private var microphoneMuted: Bool?
    private var sessions: [SessionView] = []
    public private(set) var text = ""

    private enum CodingKeys: String, CodingKey {
        case server, library, arbiter, servers, devices, volume, ringVolume, silentSwitch, screenLocked, doNotDisturb,
            microphoneMuted
        case sessions
    }

    private struct ArbiterView: Encodable {
        var running: Bool
        var socket: String
        var process: Int32?
        /// The time since the arbiter started, in seconds.
        var uptime: Double?
        /// The number of the last decision.
        var decisions: UInt64?
        /// The number of connected programs.
        var clients: Int?
    }

    /// Creates the result. `report` is nil if no arbiter is listening at `socket`; `now` is a time
    /// on the arbiter's clock; `programs` are the running virtual devices.
    public init(
        server: ServerView, library: String, report: ArbiterReport?, programs: [DeviceProgram] = [], socket: String,
        now: EventTime
    ) {
        self.server = server
        self.library = library
        arbiter = ArbiterView(running: report != nil, socket: socket)
        guard let report else {
            text = Text.columns([
                ("server", server.summary),
                ("JACK library", JackLibrary.text(of: library, server)),
                ("arbiter", "not running; the first program that needs it starts it (\(socket))"),
            ])
            return
        }
        arbiter.process = report.process
        arbiter.uptime = report.uptime.rounded(to: 3)
        arbiter.decisions = report.decisions
        arbiter.clients = report.clients.count
        let system = report.system
        servers = Dictionary(grouping: report.apps.filter { $0.server != nil }) { $0.server ?? "" }
            .mapValues { $0.map(\.id.rawValue) }
        devices = DeviceView.all(in: report, programs)
        volume = system.volume
        ringVolume = system.ringVolume
        silentSwitch = system.silentSwitch.isOn
        screenLocked = system.isScreenLocked
        doNotDisturb = system.isDoNotDisturbOn
        microphoneMuted = system.microphoneMute.isOn
        sessions = report.sessions.map { SessionView($0.status, in: report, at: now) }
        text = Self.text(server, library, report, socket, devices ?? [], sessions)
    }

    private static func text(
        _ server: ServerView, _ library: String, _ report: ArbiterReport, _ socket: String, _ devices: [DeviceView],
        _ sessions: [SessionView]
    ) -> String {
        let system = report.system
        let names = SessionNames(report)
        var rows = [
            ("server", server.summary),
            ("JACK library", JackLibrary.text(of: library, server)),
            (
                "arbiter",
                """
                running for \(Text.duration(report.uptime)), pid \(report.process), \(socket), \
                \(Text.count(report.clients.count, "program")) connected, \(Text.count(Int(report.decisions), "decision"))
                """
            ),
            ("apps' servers", names.servers.isEmpty ? "none reported" : names.servers.joined(separator: "; ")),
            ("devices", devices.isEmpty ? "none reported" : devices.map(\.summary).joined(separator: "; ")),
            (
                "volume",
                "\(Text.rounded(Double(system.volume), 2)), ringing \(Text.rounded(Double(system.ringVolume), 2))"
            ),
            ("silent switch", Text.onOff(system.silentSwitch.isOn)),
            ("screen", system.isScreenLocked ? "locked" : "unlocked"),
            ("do not disturb", Text.onOff(system.isDoNotDisturbOn)),
            ("microphone", system.microphoneMute.isOn ? "muted" : "on"),
        ]
        if sessions.isEmpty { rows.append(("sessions", "none")) }
        let list = sessions.map { "\(names.name(SessionID($0.id))): \($0.summary(names))" }
        return ([Text.columns(rows)] + list).joined(separator: "\n")
    }
}

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

    public init(name: String?, _ facts: ServerFacts) {
        reachable = true
        self.name = name
        version = facts.description
        sampleRate = facts.sampleRate
        periodFrames = facts.periodFrames
        outputs = facts.outputs
        inputs = facts.inputs
    }

    public init(name: String?, unreachable reason: String) {
        reachable = false
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
}
