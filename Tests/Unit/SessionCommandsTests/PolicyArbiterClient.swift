import SessionPolicy

@testable import SessionArbiter
@testable import SessionCommands

/// An arbiter without a process: the real policy, with a clock that advances only when set.
final class PolicyArbiterClient: ArbiterClient {
    let socketPath = "/run/test.socket"
    /// The time in seconds.
    var clock = 0.0
    var clients: [ArbiterReport.Client] = []
    var adopted: [ArbiterReport.Adopted] = []
    var descriptions: [ArbiterReport.Description] = []
    private(set) var permissions: [String: RecordPermission] = [:]
    private let policy = Policy()
    private(set) var state = PolicyState()
    private var resolvedGrants: [ResolvedGrant] = []
    private(set) var log: [Decision] = []
    private var kept: Set<SessionID> = []
    private var lastID: UInt64 = 0

    var now: EventTime { EventTime(nanoseconds: UInt64(clock * 1e9)) }

    /// Registers and configures a new session of an app.
    func add(app: UInt64, _ category: Category, _ mode: Mode? = nil, _ options: CategoryOptions = []) throws
        -> SessionID
    {
        lastID += 1
        let id = SessionID(lastID)
        try decide(.register(id, app: AppID(app)))
        try decide(.configure(id, .category(category, mode: mode, options: options)))
        return id
    }

    func decide(_ action: PolicyAction) throws(RequestError) {
        let event = PolicyEvent(action, at: now)
        do throws(Refusal) {
            let transition = try policy.apply(event, to: state)
            state = transition.state
            resolvedGrants = transition.resolvedGrants
            log.append(Decision(number: UInt64(log.count + 1), event: event, outcome: .granted(transition.effects)))
        } catch {
            log.append(Decision(number: UInt64(log.count + 1), event: event, outcome: .refused(error)))
            throw RequestError(error)
        }
    }

    func forgetLog() { log = [] }

    func ask(_ request: ClientMessage.Request) throws(RequestError) -> Reply {
        var reply = Reply()
        switch request {
        case .submit(let action): try decide(action)
        case .beginSystemSession(let rank, let isRinging, let isKept):
            lastID += 1
            let id = SessionID(lastID)
            try decide(.beginSystemSession(id, rank: rank, isRinging: isRinging))
            if isKept { kept.insert(id) }
            reply.session = id
        case .report: reply.report = report
        case .log(let after, _): reply.decisions = log.filter { $0.number > after }
        case .permission(let program, let permission):
            if let program, let permission { permissions[program] = permission }
            reply.permissions = permissions
        default: throw RequestError(.malformed, "Not asked in these tests.")
        }
        return reply
    }

    var report: ArbiterReport {
        var system = state.systemRecord(GrantOrder())
        system.sessions = system.sessions.filter { kept.contains($0.session.id) }
        let sessions = zip(state.sessions, resolvedGrants).map { session, resolvedGrant in
            SessionUpdate(
                status: SessionStatus(
                    session: session, resolvedGrant: resolvedGrant, isOtherAudioPlaying: false,
                    secondaryAudioShouldBeSilenced: false, volume: state.volume, route: state.route(of: session),
                    availableInputs: [], isInputAvailable: false, isInCall: false),
                grantNumber: 0)
        }
        return ArbiterReport(
            arbiter: 1, process: 4_711, uptime: 200, settings: ArbiterSettings(), decisions: UInt64(log.count),
            clients: clients, sessions: sessions, system: system, apps: state.apps, hardware: HardwareRequest(),
            nowPlaying: state.nowPlaying?.id, adopted: adopted, descriptions: descriptions)
    }

    /// Returns an arbiter with music (1), interrupted by a podcast (2), while a prompt (3) speaks.
    static func scene() throws -> PolicyArbiterClient {
        let arbiter = PolicyArbiterClient()
        arbiter.clients = [
            .init(app: AppID(101), process: 101, program: "/usr/bin/music", isTrusted: false, isAnswering: true),
            .init(app: AppID(102), process: 102, program: "/usr/bin/podcast", isTrusted: false, isAnswering: true),
            .init(app: AppID(103), process: 103, program: "/opt/maps/maps", isTrusted: false, isAnswering: true),
        ]
        let music = try arbiter.add(app: 101, .playback)
        try arbiter.decide(.activate(music))
        arbiter.clock = 10
        let podcast = try arbiter.add(app: 102, .playback)
        try arbiter.decide(.activate(podcast))
        arbiter.clock = 20
        let maps = try arbiter.add(app: 103, .playback, .voicePrompt, [.duckOthers])
        try arbiter.decide(.activate(maps))
        arbiter.clock = 30
        return arbiter
    }
}
