public import JackDriver
public import SessionArbiter
public import SessionPolicy

/// `audiosession status`: all that there is, at one moment.
public struct StatusOutcome: Outcome {
    private var server: ServerView
    /// The version of the JACK library that the loader chose.
    private var library: String
    private var arbiter: ArbiterView
    /// By server, the processes of the apps that use it.
    private var servers: [String: [UInt64]]?
    private var devices: [DeviceView]?
    private var volume: Float?
    private var ringVolume: Float?
    private var silentSwitch: Bool?
    private var screenLocked: Bool?
    private var doNotDisturb: Bool?
    private var microphoneMuted: Bool?
    private var sessions: [SessionView] = []
    public private(set) var words = ""

    private enum CodingKeys: String, CodingKey {
        case server, library, arbiter, servers, devices, volume, ringVolume, silentSwitch, screenLocked, doNotDisturb,
            microphoneMuted
        case sessions
    }

    private struct ArbiterView: Encodable {
        var running: Bool
        var socket: String
        var process: Int32?
        /// Seconds.
        var uptime: Double?
        /// The number of the last decision.
        var decisions: UInt64?
        /// Programs that are connected.
        var clients: Int?
    }

    /// `report` nil: no arbiter listens at `socket`; `now` on the arbiter's clock; `programs` are the stand-ins that run.
    public init(
        server: ServerView, library: String, report: ArbiterReport?, programs: [DeviceProgram] = [], socket: String,
        now: EventTime
    ) {
        self.server = server
        self.library = library
        arbiter = ArbiterView(running: report != nil, socket: socket)
        guard let report else {
            words = Text.columns([
                ("server", server.summary),
                ("JACK library", JackLibrary.words(of: library, server)),
                ("arbiter", "not running; it begins with the first program that needs it (\(socket))"),
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
        words = Self.words(server, library, report, socket, devices ?? [], sessions)
    }

    private static func words(
        _ server: ServerView, _ library: String, _ report: ArbiterReport, _ socket: String, _ devices: [DeviceView],
        _ sessions: [SessionView]
    ) -> String {
        let system = report.system
        let directory = Directory(report)
        var rows = [
            ("server", server.summary),
            ("JACK library", JackLibrary.words(of: library, server)),
            (
                "arbiter",
                """
                running for \(Text.duration(report.uptime)), pid \(report.process), \(socket), \
                \(Text.count(report.clients.count, "program")) connected, \(Text.count(Int(report.decisions), "decision"))
                """
            ),
            ("apps' servers", directory.servers.isEmpty ? "none told of" : directory.servers.joined(separator: "; ")),
            ("devices", devices.isEmpty ? "none told of" : devices.map(\.summary).joined(separator: "; ")),
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
        let list = sessions.map { "\(directory.name(SessionID($0.id))): \($0.summary(directory))" }
        return ([Text.columns(rows)] + list).joined(separator: "\n")
    }
}

/// A JACK server as the commands show it.
public struct ServerView: Encodable, Sendable, Equatable {
    var reachable: Bool
    /// nil: the default one.
    var name: String?
    var version: String?
    var sampleRate: Int?
    var periodFrames: Int?
    var outputs: Int?
    var inputs: Int?
    /// Why it is not reachable.
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

    /// What to call it: "default", "PipeWire".
    var title: String { isPipeWire ? Self.title(of: Self.pipeWire) : name ?? "default" }

    /// Whether it is PipeWire, behind its own JACK library.
    var isPipeWire: Bool { version?.lowercased().contains(Self.pipeWire) == true }

    /// How apps name PipeWire.
    static let pipeWire = "pipewire"

    /// What to call a server that apps name so.
    static func title(of name: String) -> String { name == pipeWire ? "PipeWire" : name }

    /// "audiosession: jackd2 1.9.21, 48000 Hz, period 1024 frames (21.3 ms), 2 out, 2 in".
    var summary: String {
        guard let version, let sampleRate, let periodFrames, let outputs, let inputs else {
            return "none reachable: \(reason ?? "nobody answers")"
        }
        let period = sampleRate > 0 ? " (\(Text.milliseconds(Double(periodFrames) / Double(sampleRate))))" : ""
        return
            "\(title): \(version), \(sampleRate) Hz, period \(periodFrames) frames\(period), \(outputs) out, \(inputs) in"
    }
}
