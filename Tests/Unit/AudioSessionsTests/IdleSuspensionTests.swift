import AudioRendering
@testable import AudioSessions
import Dispatch
import Foundation
import Platform
import SessionArbiter
import TestSupport
import Testing

/// A driver with a clock that the test cycles, and that counts its suspensions.
private final class SuspendableDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    let suspensions = Mutex(0)
    private let clocked: Bool

    init(hasClock: Bool = true) {
        clocked = hasClock
        super.init(OfflineDriver(channels: 1))
    }

    override var hasClock: Bool { clocked }

    override func suspend() {
        suspensions.withLock { $0 += 1 }
        super.suspend()
    }
}

@Suite("The engine is suspended while no session is active")
struct IdleSuspensionTests {
    private let clock = HandClock()
    private let driver: SuspendableDriver
    private let host: AudioSessionHost

    init() { self.init(settings: ArbiterSettings()) }

    private init(settings: ArbiterSettings, hasClock: Bool = true) {
        driver = SuspendableDriver(hasClock: hasClock)
        host = AudioSessionHost(driver: driver, settings: settings, clock: clock)
    }

    private func session() throws -> AudioSession {
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        return session
    }

    private func advance(by seconds: Double) {
        host.settle()
        clock.advance(by: .seconds(seconds))
        host.settle()
    }

    private var suspensions: Int { driver.suspensions.withLock { $0 } }

    @Test("A session that was deactivated: after 5 s, and not if it is activated again before")
    func deactivated() throws {
        let session = try session()
        try session.setActive(true)
        advance(by: 100)
        #expect(driver.isRendering, "a session is active")
        try session.setActive(false)
        advance(by: 4.9)
        #expect(driver.isRendering)
        try session.setActive(true)
        advance(by: 0.2)
        #expect(driver.isRendering)
        try session.setActive(false)
        advance(by: 4.9)
        #expect(driver.isRendering && suspensions == 0)
        advance(by: 0.2)
        #expect(!driver.isRendering && suspensions == 1)
        advance(by: 100)
        #expect(suspensions == 1)
        try session.setActive(true)
        #expect(driver.isRendering)
        advance(by: 100)
        #expect(driver.isRendering)
        try session.setActive(false)
        advance(by: 5.1)
        #expect(suspensions == 2)
    }

    @Test("INT-5: a session that is interrupted, until it is activated again")
    func interrupted() throws {
        let session = try session()
        try session.setActive(true)
        try host.beginInterruption(by: .call)
        advance(by: 5.1)
        #expect(!driver.isRendering)
        try host.endInterruption()
        advance(by: 5.1)
        #expect(!driver.isRendering)
        try session.setActive(true)
        #expect(driver.isRendering)
    }

    @Test("Not while another session of the process is active, also that of another app on the same engine")
    func others() throws {
        let (first, second) = (try session(), try session())
        let other = AudioSessionHost(app: 99, sharing: host)
        let third = try AudioSession(host: other)
        for session in [first, second, third] {
            try session.setCategory(.playback, options: .mixWithOthers)
            try session.setActive(true)
        }
        for session in [first, third] { try session.setActive(false) }
        advance(by: 100)
        #expect(driver.isRendering)
        try third.setActive(true)
        try second.setActive(false)
        advance(by: 100)
        #expect(driver.isRendering)
        try third.setActive(false)
        advance(by: 5.1)
        #expect(!driver.isRendering)
        try third.setActive(true)
        #expect(driver.isRendering)
    }

    @Test("An active session that is released leaves the engine idle")
    func released() throws {
        var session: AudioSession? = try session()
        try session?.setActive(true)
        session = nil
        advance(by: 5.1)
        #expect(!driver.isRendering)
        try self.session().setActive(true)
        #expect(suspensions == 1)
    }

    @Test("The handler of a voice that ends with the last cycle may activate a session")
    func handler() throws {
        let session = try session()
        try session.setActive(true)
        let activations = EventLog<Bool>()
        let sound = VoiceSource.buffer(try AudioBuffer([[Float](repeating: 0.5, count: 48_000)]))
        let voice = try session.engine.play(sound, on: session.bus) { _ in
            activations.note((try? session.setActive(true)) != nil)
        }
        _ = try driver.inner.render(frames: 256)
        try session.setActive(false)
        try voice.stop(fadeFrames: 0)
        advance(by: 5.1)
        #expect(activations.wait { $0 == [true] })
        #expect(driver.isRendering && suspensions == 1)
    }

    @Test("PLAY-4: a system sound starts the engine, keeps it while it plays, and leaves it idle")
    func systemSounds() throws {
        let buffer = try AudioBuffer([[Float](repeating: 0.5, count: 480)], sampleRate: 48_000)
        let endings = EventLog<Bool>()
        let play = { SystemSoundOutput.play(on: host, buffer, whenEnded: { endings.note($0 == nil) }) }
        play()
        advance(by: 100)
        #expect(driver.isRendering && suspensions == 0, "no cycle has run, so the sound has not ended")
        _ = try driver.inner.render(frames: 1_024)
        #expect(endings.wait { $0 == [true] })
        advance(by: 4.9)
        #expect(driver.isRendering)
        play()
        advance(by: 5.1)
        #expect(driver.isRendering && suspensions == 0)
        _ = try driver.inner.render(frames: 1_024)
        #expect(endings.wait { $0 == [true, true] })
        advance(by: 5.1)
        #expect(!driver.isRendering && suspensions == 1)
        play()
        host.settle()
        #expect(driver.isRendering)
    }

    @Test("A capture in progress postpones it")
    func capture() throws {
        let directory = try TemporaryDirectory()
        let session = try session()
        try session.setActive(true)
        try session.engine.startCapture(path: directory.file("capture.wav"))
        try session.setActive(false)
        advance(by: 5.1)
        #expect(driver.isRendering)
        _ = try session.engine.stopCapture()
        advance(by: 5.1)
        #expect(!driver.isRendering)
    }

    @Test("The setting suspend-on-idle selects the time; 0: never")
    func setting() throws {
        var settings = ArbiterSettings()
        settings.suspendOnIdle = 60
        let patient = IdleSuspensionTests(settings: settings)
        settings.suspendOnIdle = 0
        let never = IdleSuspensionTests(settings: settings)
        for tests in [patient, never] {
            let session = try tests.session()
            try session.setActive(true)
            try session.setActive(false)
            tests.advance(by: 59)
            #expect(tests.driver.isRendering)
            tests.advance(by: 100_000)
            #expect(tests.driver.isRendering == (tests.host === never.host))
        }
    }

    @Test("A setting that becomes 0, because the app joins another arbiter, cancels it")
    func cancelled() throws {
        for (later, count) in [(5.0, 1), (0, 0)] {
            let driver = SuspendableDriver()
            let engine = try AudioEngine(driver: driver)
            try engine.start()
            let seconds = Mutex(5.0)
            let (clock, queue) = (HandClock(), DispatchQueue(label: "test"))
            let suspension = IdleSuspension(of: engine, clock: clock, startedOn: queue) { seconds.withLock { $0 } }
            suspension.update()
            seconds.withLock { $0 = later }
            suspension.update()
            clock.advance(by: .seconds(6))
            queue.sync {}
            #expect(driver.suspensions.withLock { $0 } == count)
        }
    }

    @Test("A driver without a clock is not suspended: the app runs its cycles")
    func offline() throws {
        let tests = IdleSuspensionTests(settings: ArbiterSettings(), hasClock: false)
        let session = try tests.session()
        try session.setActive(true)
        try session.setActive(false)
        tests.advance(by: 100)
        #expect(tests.suspensions == 0 && tests.driver.isRendering)
    }

    @Test("An engine that was closed while it was suspended, or before, starts with the next activation")
    func closed() throws {
        let session = try session()
        try session.setActive(true)
        try session.setActive(false)
        advance(by: 5.1)
        host.close()
        try session.setActive(true)
        #expect(driver.isRendering)
        try session.setActive(false)
        host.close()
        advance(by: 5.1)
        try session.setActive(true)
        #expect(driver.isRendering)
    }
}
