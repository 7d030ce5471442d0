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
    /// Nil if no app receives remote commands.
    private var nowPlaying: NowPlayingView?
    private var sessions: [SessionView] = []
    public private(set) var text = ""

    private enum CodingKeys: String, CodingKey {
        case server, library, arbiter, servers, devices, volume, ringVolume, silentSwitch, screenLocked, doNotDisturb,
            microphoneMuted
        case nowPlaying, sessions
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
    /// on the arbiter's clock; `programs` are the running virtual devices. With
    /// `isVerbose`, the text also has what apps say about their sessions.
    public init(
        server: ServerView, library: String, report: ArbiterReport?, programs: [DeviceProgram] = [], socket: String,
        now: EventTime, isVerbose: Bool = false
    ) {
        self.server = server
        self.library = library
        arbiter = ArbiterView(running: report != nil, socket: socket)
        guard let report else {
            text = Text.columns([
                ("server", server.summary),
                ("JACK library", server.text(ofLibrary: library)),
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
        nowPlaying = NowPlayingView(report, at: now)
        sessions = report.sessions.map { SessionView($0.status, in: report, at: now) }
        text = Self.text(server, library, report, socket, devices ?? [], nowPlaying, sessions, isVerbose)
    }

    private static func text(
        _ server: ServerView, _ library: String, _ report: ArbiterReport, _ socket: String, _ devices: [DeviceView],
        _ nowPlaying: NowPlayingView?, _ sessions: [SessionView], _ isVerbose: Bool
    ) -> String {
        let system = report.system
        let names = SessionNames(report)
        var rows = [
            ("server", server.summary),
            ("JACK library", server.text(ofLibrary: library)),
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
        if let nowPlaying { rows.append(("now playing", nowPlaying.summary(names))) }
        if sessions.isEmpty { rows.append(("sessions", "none")) }
        let list = sessions.flatMap { session in
            let phrase = isVerbose ? session.description?.phrase : nil
            return ["\(names.name(SessionID(session.id))): \(session.summary(names))"]
                + (phrase.map { ["  " + $0] } ?? [])
        }
        return Text.columns(rows) + (list.isEmpty ? "" : "\n" + Text.lines(list))
    }
}
