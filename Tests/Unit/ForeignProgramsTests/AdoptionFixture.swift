import ArbiterService
import DesktopBridge
@testable import ForeignPrograms
import Platform
import SessionArbiter
import SessionPolicy

/// Adoption with a real arbiter, and with streams and players that do what they are asked to.
final class AdoptionFixture {
    let tools = FakeTools()
    let processes = FakeProcesses()
    var adopter: Adopter
    private var otherCount: UInt64 = 0

    var arbiter: InProcessArbiter { tools.arbiter }

    init(_ settings: AdoptionSettings = AdoptionSettings()) {
        adopter = Adopter(settings, processes: processes, tools: tools)
    }

    /// Adoption is killed and started again: the streams are free, and its sessions have ended.
    /// Players keep their state.
    func restart() {
        for session in tools.sessions { try? arbiter.submit(.unregister(session)) }
        let abandoned = adopter.pausedPlayers
        adopter = Adopter(adopter.settings, abandoned: abandoned, processes: processes, tools: tools)
        for (id, state) in tools.states where !state.restores {
            tools.states[id] = .level(id, attenuation: 0, milliseconds: 0)
        }
        settle()
    }

    // MARK: Programs

    /// A program at this path runs, as a child of `parent`.
    func run(_ process: Int32, _ path: String, childOf parent: Int32 = 1, isInstalled: Bool = true) {
        processes.add(process, path, parent, isInstalled: isInstalled)
    }

    func stream(
        _ id: UInt64, of process: Int32?, role: String? = nil, isRunning: Bool = true,
        direction: ForeignStream.Direction = .output, api: ForeignStream.API = .native, isClaim: Bool = false
    ) {
        var stream = ForeignStream(StreamID(id))
        if isClaim { stream.claimedProcess = process } else { stream.process = process }
        stream.role = role
        stream.isRunning = isRunning
        stream.direction = direction
        stream.api = api
        stream.canBeLowered = api != .jack
        adopter.handle(.stream(stream))
        settle()
    }

    func endStream(_ id: UInt64) {
        tools.states[StreamID(id)] = nil
        tools.detections[StreamID(id)] = nil
        adopter.handle(.gone(StreamID(id)))
        settle()
    }

    /// What the stream controller reports about the sound of a stream.
    enum Sounding { case audible, inaudible, undetected }

    func detect(_ id: UInt64, _ sounding: Sounding) {
        switch sounding {
        case .audible: adopter.handle(.audible(StreamID(id)))
        case .inaudible: adopter.handle(.inaudible(StreamID(id)))
        case .undetected: adopter.handle(.undetected(StreamID(id), reason: "x"))
        }
        settle()
    }

    func apply(_ settings: AdoptionSettings) {
        adopter.apply(settings)
        settle()
    }

    /// The player appears, or its user or its end of file changes it.
    func player(_ name: String, of process: Int32, _ status: ForeignPlayer.Status, canPause: Bool = true) {
        let player = ForeignPlayer(
            id: name, names: [name], process: process, identity: name, status: status, canPause: canPause,
            canPlay: true)
        tools.players[name] = player
        adopter.playerChanged(player)
        settle()
    }

    func endPlayer(_ name: String) {
        tools.players[name] = nil
        adopter.playerVanished(name)
        settle()
    }

    /// All timers end.
    func passTime() {
        let ended = tools.timers
        tools.timers = []
        for timer in ended { adopter.timerEnded(timer) }
        settle()
    }

    // MARK: Other sessions

    /// Another app activates a session, and plays.
    @discardableResult
    func activate(
        _ category: Category, _ mode: Mode = .default, _ options: CategoryOptions = []
    ) throws -> SessionID {
        otherCount += 1
        let session = try arbiter.register(app: AppID(9_000 + otherCount)) { _ in }.id
        try arbiter.submit(.configure(session, .category(category, mode: mode, options: options)))
        try arbiter.submit(.activate(session))
        try arbiter.submit(.setRunning(session, true))
        settle()
        return session
    }

    func deactivate(_ session: SessionID, notifyOthers: Bool = true) throws {
        try arbiter.submit(.deactivate(session, notifyOthers: notifyOthers))
        settle()
    }

    func ring() throws -> SessionID {
        defer { settle() }
        return try arbiter.beginSystemSession(rank: .call, isRinging: true)
    }

    func end(_ call: SessionID, shouldResume: Bool = true) throws {
        try arbiter.submit(.endSystemSession(call, shouldResume: shouldResume))
        settle()
    }

    /// Delivers what the arbiter, the streams and the players have done, until nothing more
    /// happens.
    func settle() {
        while true {
            arbiter.drain()
            let hadNotices = deliverNotices()
            let (reached, moved) = (tools.unreached, tools.moved)
            let (failed, accepted) = (tools.failed, tools.accepted)
            (tools.unreached, tools.moved, tools.failed, tools.accepted) = ([], [], [], [])
            for id in reached { adopter.handle(.reached(id)) }
            for player in moved { adopter.playerChanged(player) }
            for id in failed { adopter.playerAnswered(id, accepted: false) }
            for id in accepted { adopter.playerAnswered(id, accepted: true) }
            if !hadNotices, reached.isEmpty, moved.isEmpty, failed.isEmpty { return }
        }
    }

    /// Delivers what the arbiter has reported, and returns whether that was anything.
    @discardableResult
    func deliverNotices() -> Bool {
        let notices = tools.notices.withLock { notices in
            defer { notices = [] }
            return notices
        }
        for notice in notices { adopter.sessionChanged(notice.effect.session, notice.effect.kind) }
        return !notices.isEmpty
    }

    // MARK: Observation

    /// How a stream sounds.
    enum Sound: Equatable {
        case full, lowered(Double), silent, held
    }

    func sound(_ id: UInt64) -> Sound {
        switch tools.states[StreamID(id)] {
        case nil, .level(_, 0, _), .detect, .endDetection: .full
        case .level(_, let attenuation?, _): .lowered(attenuation)
        case .level(_, nil, _): .silent
        case .hold: .held
        }
    }

    func status(_ player: String) -> ForeignPlayer.Status? { tools.players[player]?.status }

    /// The session of a foreign program.
    func session(of process: Int32) -> SessionState? {
        tools.sessions.compactMap { arbiter.status(of: $0)?.session }.first { $0.app == AppID(UInt64(process)) }
    }
}
