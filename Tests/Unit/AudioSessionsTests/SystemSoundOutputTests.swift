import AudioRendering
@testable import AudioSessions
import Dispatch
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// An arbiter of an older version, as long as the test says so: it does not know system sounds.
private final class OldArbiter: SessionArbiter {
    enum Behaviour { case knows, ignores, refuses }
    let inner = InProcessArbiter()
    let behaviour = Mutex(Behaviour.knows)

    func submit(_ action: PolicyAction) throws(ArbiterError) {
        guard case .playSystemSounds(let id) = action else { return try inner.submit(action) }
        switch behaviour.withLock({ $0 }) {
        case .knows: try inner.submit(action)
        case .ignores: break
        case .refuses: throw .refused(Refusal(.badParam, .play4, "\(id): the action is unknown."))
        }
    }

    func register(app: AppID, observer: any SessionObserver) throws(ArbiterError) -> SessionRegistration {
        try inner.register(app: app, observer: observer)
    }
    var settings: ArbiterSettings { inner.settings }
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

/// A driver with a clock that the test cycles; `whenSuspending` runs in its suspension.
private final class SuspendingDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    let whenSuspending = Mutex<(@Sendable () -> Void)?>(nil)

    override var hasClock: Bool { true }

    override func suspend() {
        whenSuspending.withLock { $0 }?()
        super.suspend()
    }
}

/// A driver during whose opening the test does something.
private final class OpeningDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    let whenOpening = Mutex<(@Sendable () -> Void)?>(nil)

    override func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        whenOpening.withLock { $0 }?()
        return try super.open(core: core)
    }
}

/// How system sounds start and end, apart from what is heard (PLAY-4).
@Suite(.timeLimit(.minutes(2))) struct SystemSoundOutputTests {
    private let driver = OfflineDriver(sampleRate: 48_000, channels: 1, periodFrames: 256)
    private let buffer: AudioBuffer
    private let endings = EventLog<String>()

    init() throws { buffer = try AudioBuffer([[Float](repeating: 0.5, count: 2_400)], sampleRate: 48_000) }

    private func play(on host: AudioSessionHost) {
        SystemSoundOutput.play(on: host, buffer) { [endings] error in endings.note(error.map { "\($0)" } ?? "ended") }
    }

    @Test("PLAY-4: a sound that is requested while the engine is being suspended starts it again")
    func suspension() throws {
        let (driver, clock) = (SuspendingDriver(driver), HandClock())
        let host = AudioSessionHost(driver: driver, settings: ArbiterSettings(), clock: clock)
        play(on: host)
        host.settle()
        _ = try driver.inner.render(frames: 4_096)
        #expect(endings.wait { $0 == ["ended"] })
        // Without the remedy, the sound is started before the suspension, and is never heard.
        let (buffer, endings) = (buffer, endings)
        driver.whenSuspending.withLock {
            $0 = { [weak host] in
                guard let host else { return }
                SystemSoundOutput.play(on: host, buffer) { endings.note($0 == nil ? "ended" : "failed") }
                let started = DispatchSemaphore(value: 0)
                host.systemSounds.queue.async { started.signal() }
                _ = started.wait(timeout: .now() + 0.2)
            }
        }
        host.settle()
        clock.advance(by: .seconds(6))
        // The suspension requests the sound, which then starts the engine.
        for _ in 1...2 { host.settle() }
        #expect(driver.isRendering)
        _ = try driver.inner.render(frames: 4_096)
        #expect(endings.wait { $0 == ["ended", "ended"] })
    }

    @Test("PLAY-4, SRV-3: after an arbiter that did not restore the system sounds, they are registered again")
    func registeredAgain() throws {
        let arbiter = OldArbiter()
        let host = AudioSessionHost(driver: driver, arbiter: arbiter)
        arbiter.behaviour.withLock { $0 = .ignores }
        play(on: host)
        host.settle()
        #expect(try driver.render(frames: 4_096)[0].allSatisfy { $0 == 0 }, "an ordinary session is inactive")
        #expect(endings.noted.isEmpty)
        arbiter.behaviour.withLock { $0 = .knows }
        host.reportAgainAsync()
        host.settle()
        _ = try driver.render(frames: 4_096)
        #expect(endings.wait { $0 == ["ended"] })
    }

    @Test("PLAY-4: with an older arbiter, sounds end with its error; with the next one they are heard")
    func refused() throws {
        let arbiter = OldArbiter()
        let host = AudioSessionHost(driver: driver, arbiter: arbiter)
        arbiter.behaviour.withLock { $0 = .refuses }
        play(on: host)
        #expect(endings.wait { $0.count == 1 } && endings.noted[0].contains("the action is unknown"))
        host.settle()
        #expect(host.livingSessions.isEmpty, "nothing is left of it")
        arbiter.behaviour.withLock { $0 = .ignores }
        play(on: host)
        host.settle()
        arbiter.behaviour.withLock { $0 = .refuses }
        host.reportAgainAsync()
        #expect(endings.wait { $0.count == 2 } && endings.noted[1].contains("the action is unknown"))
        host.settle()
        arbiter.behaviour.withLock { $0 = .knows }
        play(on: host)
        host.settle()
        _ = try driver.render(frames: 4_096)
        #expect(endings.wait { $0.last == "ended" })
    }

    @Test("PLAY-4: a sound that ends while the server is being connected, because it is lost, is not heard")
    func lostMeanwhile() throws {
        let driver = OpeningDriver(driver)
        let host = AudioSessionHost(driver: driver, settings: ArbiterSettings())
        driver.whenOpening.withLock { $0 = { [weak host] in host?.systemSounds.endAll(SystemSoundError.interrupted) } }
        play(on: host)
        host.settle()
        #expect(try driver.inner.render(frames: 4_096)[0].allSatisfy { $0 == 0 })
        #expect(endings.noted.count == 1 && endings.noted[0].contains("cut off"))
        driver.whenOpening.withLock { $0 = nil }
        play(on: host)
        host.settle()
        #expect(try driver.inner.render(frames: 4_096)[0][100] == 0.5)
    }

    @Test("PLAY-4: a sound that has waited for more than 5 s is not played, and says so")
    func late() throws {
        let clock = HandClock()
        let host = AudioSessionHost(driver: driver, settings: ArbiterSettings(), clock: clock)
        let continues = DispatchSemaphore(value: 0)
        host.systemSounds.queue.async { _ = continues.wait(timeout: .now() + 20) }
        play(on: host)
        clock.advance(by: .seconds(5))
        continues.signal()
        #expect(endings.wait { $0.count == 1 } && endings.noted[0].contains("more than 5 s"))
        host.settle()
        #expect(try driver.render(frames: 4_096)[0].allSatisfy { $0 == 0 })
    }

    @Test("PLAY-4: the end of a host ends its sounds, and reports it")
    func hostReleased() throws {
        var host: AudioSessionHost? = AudioSessionHost(driver: driver, settings: ArbiterSettings())
        if let host {
            play(on: host)
            host.settle()
        }
        #expect(endings.noted.isEmpty)
        host = nil
        #expect(endings.wait { $0.count == 1 } && endings.noted[0].contains("cut off"))
    }

    @Test("PLAY-4: a sound that gives way to other voices says so")
    func displaced() throws {
        let host = AudioSessionHost(
            driver: driver, configuration: AudioEngine.Configuration(maximumVoices: 64, polyphony: 1),
            settings: ArbiterSettings())
        for _ in 0..<2 { play(on: host) }
        host.settle()
        _ = try driver.render(frames: 4_096)
        #expect(endings.wait { $0.count == 2 })
        #expect(endings.noted.contains { $0.contains("other voices") } && endings.noted.contains("ended"))
    }
}
