public import JackDriver
public import SessionArbiter
public import SessionPolicy

/// `audiosession status`: all that there is, at one moment.
public struct StatusOutcome: Outcome {
    private var server: ServerView
    private var arbiter: ArbiterView
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
        case server, arbiter, devices, volume, ringVolume, silentSwitch, screenLocked, doNotDisturb, microphoneMuted
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

    /// `report` nil: no arbiter listens at `socket`; `now` on the arbiter's clock.
    public init(server: ServerView, report: ArbiterReport?, socket: String, now: EventTime) {
        self.server = server
        arbiter = ArbiterView(running: report != nil, socket: socket)
        guard let report else {
            words = Text.columns([
                ("server", server.summary),
                ("arbiter", "not running; it begins with the first program that needs it (\(socket))"),
            ])
            return
        }
        arbiter.process = report.process
        arbiter.uptime = report.uptime.rounded(to: 3)
        arbiter.decisions = report.decisions
        arbiter.clients = report.clients.count
        let system = report.system
        devices = system.devices.map { DeviceView($0, system) }
        volume = system.volume
        ringVolume = system.ringVolume
        silentSwitch = system.silentSwitch.isOn
        screenLocked = system.isScreenLocked
        doNotDisturb = system.isDoNotDisturbOn
        microphoneMuted = system.microphoneMute.isOn
        sessions = report.sessions.map { SessionView($0.status, in: report, at: now) }
        words = Self.words(server, report, socket, devices ?? [], sessions)
    }

    private static func words(
        _ server: ServerView, _ report: ArbiterReport, _ socket: String, _ devices: [DeviceView],
        _ sessions: [SessionView]
    ) -> String {
        let system = report.system
        let directory = Directory(report)
        var rows = [
            ("server", server.summary),
            (
                "arbiter",
                """
                running for \(Text.duration(report.uptime)), pid \(report.process), \(socket), \
                \(Text.count(report.clients.count, "program")) connected, \(Text.count(Int(report.decisions), "decision"))
                """
            ),
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

    /// "audiosession: jackd2 1.9.21, 48000 Hz, period 1024 frames (21.3 ms), 2 out, 2 in".
    var summary: String {
        let name = name ?? "default"
        guard let version, let sampleRate, let periodFrames, let outputs, let inputs else {
            return "none reachable: \(reason ?? "nobody answers")"
        }
        let period = sampleRate > 0 ? " (\(Text.milliseconds(Double(periodFrames) / Double(sampleRate))))" : ""
        return
            "\(name): \(version), \(sampleRate) Hz, period \(periodFrames) frames\(period), \(outputs) out, \(inputs) in"
    }
}
