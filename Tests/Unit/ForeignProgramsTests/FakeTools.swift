import DesktopBridge
import ForeignPrograms
import Platform
import SessionArbiter
import SessionPolicy

/// A real arbiter, and streams and players that record what they are asked to do.
///
/// Unchecked `Sendable`: only the test's thread uses it; the arbiter's notices wait in `notices`.
final class FakeTools: AdoptionTools, @unchecked Sendable {
    let arbiter = InProcessArbiter()
    let notices = Mutex<[SessionNotice]>([])
    private(set) var sessions: [SessionID] = []
    /// Processes that are clients of the arbiter themselves.
    var clients: Set<Int32> = []

    /// The last command for each stream, and all in their order.
    var states: [StreamID: StreamCommand] = [:]
    private(set) var commands: [StreamCommand] = []
    /// The streams whose sound is detected.
    var detections: [StreamID: StreamCommand] = [:]
    /// Streams whose last command is not yet in effect.
    var unreached: [StreamID] = []

    var players: [ForeignPlayer.ID: ForeignPlayer] = [:]
    /// Players that do not pause when they are asked to.
    var deafPlayers: Set<ForeignPlayer.ID> = []
    /// What was requested of players: "pause mpv".
    private(set) var requests: [String] = []
    /// Players that have done what they were asked to, or have failed.
    var moved: [ForeignPlayer] = []
    var failed: [ForeignPlayer.ID] = []
    var accepted: [ForeignPlayer.ID] = []
    /// What was said about sessions, and how often.
    private(set) var descriptions: [SessionID: SessionDescription] = [:]
    private(set) var descriptionCount = 0
    /// Whether every action is refused, as by an arbiter that has just ended.
    var refusesAll = false

    var timers: [AdoptionTimer] = []
    var now = 0.0
    var isConnected = true

    func send(_ command: StreamCommand) {
        switch command {
        case .detect(let id, _, _): detections[id] = command
        case .endDetection(let id): detections[id] = nil
        case .level, .hold: change(command)
        }
    }

    private func change(_ command: StreamCommand) {
        commands.append(command)
        states[command.stream] = command
        unreached.append(command.stream)
    }

    func pause(_ player: ForeignPlayer.ID) {
        requests.append("pause \(player)")
        guard !deafPlayers.contains(player) else { return failed.append(player) }
        setStatus(player, .paused)
        accepted.append(player)
    }

    func play(_ player: ForeignPlayer.ID) {
        requests.append("play \(player)")
        setStatus(player, .playing)
    }

    private func setStatus(_ id: ForeignPlayer.ID, _ status: ForeignPlayer.Status) {
        guard var player = players[id], player.status != status else { return }
        player.status = status
        players[id] = player
        moved.append(player)
    }

    func register(process: Int32?) -> SessionID? {
        if let process, clients.contains(process) { return nil }
        let app = process.map { AppID(UInt64($0)) } ?? AppID(1)
        let registration = try? arbiter.register(app: app) { [notices] notice in
            notices.withLock { $0.append(notice) }
        }
        guard let id = registration?.id else { return nil }
        sessions.append(id)
        return id
    }

    func submit(_ action: PolicyAction) -> Bool { !refusesAll && (try? arbiter.submit(action)) != nil }

    func describe(_ session: SessionID, as description: SessionDescription) {
        descriptions[session] = description
        descriptionCount += 1
    }

    func status(of session: SessionID) -> SessionState? { arbiter.status(of: session)?.session }

    func grant(of session: SessionID) -> SessionGrant? { arbiter.status(of: session)?.resolvedGrant.grant }

    var allSessions: [SessionState]? { arbiter.state.sessions }

    func isStrong(_ grant: SessionGrant) -> Bool {
        grant.attenuation >= arbiter.settings.policy.strongDuckAttenuation
    }

    var audibility: (threshold: Double, hold: Double) {
        (arbiter.settings.policy.audibleThreshold, arbiter.settings.policy.audibleHold)
    }

    func start(_ timer: AdoptionTimer, seconds: Double) { timers.append(timer) }
}

/// Processes that a test has started.
final class FakeProcesses: Processes {
    private struct Process {
        var path: String
        var parent: Int32
        var isInstalled: Bool
    }
    private let running = Mutex<[Int32: Process]>([:])

    func add(_ process: Int32, _ path: String, _ parent: Int32, isInstalled: Bool) {
        running.withLock { $0[process] = Process(path: path, parent: parent, isInstalled: isInstalled) }
    }

    func parent(of process: Int32) -> Int32? { running.withLock { $0[process]?.parent } }

    /// A mark is made of a process of the tests that runs.
    func mark(of process: Int32) -> ProcessMark? {
        running.withLock { $0[process] == nil ? nil : ProcessMark(process: process, started: 1) }
    }

    func program(of process: Int32) -> String? { running.withLock { $0[process]?.path } }

    func isInstalled(_ path: String) -> Bool {
        running.withLock { $0.values.contains { $0.path == path && $0.isInstalled } }
    }
}
