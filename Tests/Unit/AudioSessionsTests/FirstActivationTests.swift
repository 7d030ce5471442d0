import AudioRendering
import AudioSessions
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// The requests to the arbiter, and the connections of the driver, in their order.
private final class RequestLog: Sendable {
    private let lines = Mutex<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// Returns what was logged since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// An in-process arbiter that logs the requests: those that the caller waits for, and the others.
/// It decides on the others as late as an arbiter may: with the next request.
private final class LoggingArbiter: SessionArbiter {
    private let inner = InProcessArbiter()
    private let log: RequestLog
    private let posted = Mutex<[@Sendable () -> Void]>([])

    init(_ log: RequestLog) { self.log = log }

    private static func name(of action: PolicyAction) -> String {
        switch action {
        case .activate: "activate"
        case .deactivate: "deactivate"
        case .setDevices(_, _, let devices): "\(devices.count) devices"
        default: "another action"
        }
    }

    func submit(_ action: PolicyAction) throws(ArbiterError) {
        log.note("wait for: " + Self.name(of: action))
        let earlier = posted.withLock { posted in
            defer { posted = [] }
            return posted
        }
        for decide in earlier { decide() }
        try inner.submit(action)
    }
    func post(_ action: PolicyAction, whenAccepted: @escaping @Sendable () -> Void) {
        log.note("send: " + Self.name(of: action))
        posted.withLock { $0.append { [inner] in inner.post(action, whenAccepted: whenAccepted) } }
    }

    var settings: ArbiterSettings { inner.settings }
    func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration {
        try inner.register(app: app, observer: observer)
    }
    func beginSystemSession(rank: Rank, isRinging: Bool) throws(ArbiterError) -> SessionID {
        try inner.beginSystemSession(rank: rank, isRinging: isRinging)
    }
    func status(of session: SessionID) -> SessionStatus? { inner.status(of: session) }
    func application(_ app: AppID) -> AppState { inner.application(app) }
    var app: AppID { inner.app }
    var storesPermissions: Bool { inner.storesPermissions }
    var devices: [AudioDevice] { inner.devices }
    var hardware: HardwareRequest { inner.hardware }
    func setOverride(_ hardwareOverride: BufferSizeOverride?) { inner.setOverride(hardwareOverride) }
    func setOverride(rate hardwareOverride: SampleRateOverride?) { inner.setOverride(rate: hardwareOverride) }
    func whenHardwareChanges(_ body: @escaping @Sendable () -> Void) { inner.whenHardwareChanges(body) }
    func afterNotices(_ body: @escaping @Sendable () -> Void) { inner.afterNotices(body) }
    var decisions: [Decision] { inner.decisions }
    func drain() { inner.drain() }
}

/// A driver that logs its starts and connections. It can start as soon as it is opened, as if
/// another session were faster.
private final class LoggingDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    let startsAtOnce = Mutex(false)
    private let log: RequestLog

    init(_ inner: OfflineDriver, _ log: RequestLog) {
        self.log = log
        super.init(inner)
    }

    override func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        let format = try inner.open(core: core)
        if startsAtOnce.withLock({ $0 }) { try inner.start() }
        return format
    }

    override func start() throws(DriverError) {
        log.note("start")
        try inner.start()
    }

    override func connect(_ port: String) throws(DriverError) -> Range<Int> {
        log.note("connect")
        return try inner.connect(port)
    }
}

@Suite struct FirstActivationTests {
    private let log = RequestLog()
    private let driver: LoggingDriver
    private let host: AudioSessionHost
    private let session: AudioSession

    init() throws {
        let offline = OfflineDriver(sampleRate: 48_000, channels: 2, inputChannels: 0, periodFrames: 256)
        offline.plug(.output("Speaker", .builtInSpeaker))
        driver = LoggingDriver(offline, log)
        host = AudioSessionHost(driver: driver, arbiter: LoggingArbiter(log))
        session = try AudioSession(host: host)
        try session.setCategory(.playback)
        _ = log.take()
    }

    @Test("ACT-1: the first activation waits for the arbiter once, and is connected before audio starts")
    func first() throws {
        try session.setActive(true)
        let lines = log.take()
        // A notice of the new route may connect the session as well.
        #expect(lines.filter { $0 != "connect" } == ["send: 1 devices", "wait for: activate", "start"])
        #expect(lines.firstIndex(of: "connect") ?? .max < lines.firstIndex(of: "start") ?? 0, "\(lines)")
        #expect(session.currentRoute.outputs.map(\.portName) == ["Speaker"])
        try session.setActive(false)
        _ = log.take()
        try session.setActive(true)
        #expect(log.take().filter { $0 != "connect" } == ["wait for: activate", "start"], "a later activation")
    }

    @Test("ACT-1: a refused first activation starts no audio")
    func refused() throws {
        _ = try host.arbiter.beginSystemSession(rank: .call, isRinging: false)
        try session.setCategory(.ambient)
        _ = log.take()
        #expect(throws: AudioSessionError.self) { try session.setActive(true) }
        #expect(log.take().filter { $0 != "connect" } == ["send: 1 devices", "wait for: activate"])
        #expect(!driver.isRendering)
    }

    @Test("ROUTE-2: if audio already runs, a session is connected before it is granted")
    func running() throws {
        driver.startsAtOnce.withLock { $0 = true }
        try session.setActive(true)
        let lines = log.take()
        #expect(lines.firstIndex(of: "connect") ?? .max < lines.firstIndex(of: "wait for: activate") ?? 0, "\(lines)")
    }
}
