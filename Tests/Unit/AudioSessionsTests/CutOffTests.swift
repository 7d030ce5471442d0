import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// An in-process arbiter whose sessions a test can remove, as the loss of a service does.
private final class FragileArbiter: SessionArbiter {
    let inner = InProcessArbiter()
    private let observers = Mutex<[any SessionObserver]>([])

    /// Gives every session another gate: that of a session of another arbiter.
    func replaceGates() throws -> [SessionRegistration] {
        try observers.withLock { $0 }.map { observer in
            let next = try InProcessArbiter().register(app: AppID(9)) { _ in }
            observer.replaceGate(next.gate)
            return next
        }
    }

    func cutOff(_ id: SessionID) throws {
        try inner.submit(.unregister(id))
        for observer in observers.withLock({ $0 }) {
            observer.receive(SessionNotice(decision: 0, effect: Effect(id, .deactivatedBySystem, .act12)))
        }
    }

    func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration {
        observers.withLock { $0.append(observer) }
        return try inner.register(app: app, observer: observer)
    }

    var settings: ArbiterSettings { inner.settings }
    func submit(_ action: PolicyAction) throws(ArbiterError) { try inner.submit(action) }
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
    var decisions: [Decision] { inner.decisions }
    func afterNotices(_ body: @escaping @Sendable () -> Void) { inner.afterNotices(body) }
    func drain() { inner.drain() }
}

@Suite struct CutOffTests {
    private let arbiter = FragileArbiter()
    private let driver = OfflineDriver(sampleRate: 48_000, channels: 1, inputChannels: 0, periodFrames: 256)
    private let host: AudioSessionHost

    init() { host = AudioSessionHost(driver: driver, arbiter: arbiter) }

    private func playing() throws -> AudioSession {
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        try session.setActive(true)
        let buffer = try AudioBuffer([[Float](repeating: 1, count: 48_000)])
        _ = try session.engine.play(.buffer(buffer), on: session.bus)
        return session
    }

    @Test("ACT-12: a session that its arbiter removed is inactive and expired, and is notified once, with the cause")
    func cutOff() throws {
        let session = try playing()
        host.settle()
        let notified = EventLog<AudioSession.DeactivationCause>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.didBecomeInactiveNotification, object: session, queue: nil
        ) { note in
            let context = note.userInfo?[AudioSession.deactivationContextKey] as? AudioSession.DeactivationContext
            if let context { notified.note(context.cause) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try arbiter.cutOff(SessionID(session.id))
        host.settle()
        #expect(notified.noted == [.cutOff])
        #expect(AudioSession.DeactivationCause.cutOff.source == .system)
        #expect(!session.isActive)
        let error = #expect(throws: AudioSessionError.self) { try session.setActive(true) }
        #expect(error?.errorCode == .expiredSession)
    }

    @Test("SRV-3: a session obeys the gate that replaces its own")
    func gates() throws {
        let session = try playing()
        #expect(try driver.render(frames: 1_024).first?.last == 1)
        let next = try #require(try arbiter.replaceGates().first)
        #expect(next.gate.grant.isPaused)
        #expect(try driver.render(frames: 1_024).first?.last == 0)
        withExtendedLifetime(session) {}
    }
}
