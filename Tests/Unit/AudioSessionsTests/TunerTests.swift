import AudioRendering
import AudioSessions
import Platform
import SessionArbiter
import TestSupport
import Testing

/// A device whose server has an xrun when the test requests one.
private final class StumblingDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    private let xruns = Mutex(0)
    /// Returns whether the server accepts a period.
    let takes = Mutex<@Sendable (Int) -> Bool>({ _ in true })
    private let handler = Mutex<@Sendable (DriverEvent) -> Void>({ _ in })

    init() { super.init(OfflineDriver(sampleRate: 48_000, channels: 1, periodFrames: 1_024)) }

    func stumble() {
        let count = xruns.withLock { count in
            count += 1
            return count
        }
        notify(.xrun(count: count))
    }

    func notify(_ event: DriverEvent) { handler.withLock { $0 }(event) }

    override func requestPeriod(frames: Int) throws(DriverError) -> Int {
        guard takes.withLock({ $0 })(frames) else { throw .refused(call: "a period", reason: "not this one") }
        return try super.requestPeriod(frames: frames)
    }

    override var statistics: DriverStatistics { DriverStatistics(xruns: xruns.withLock { $0 }) }

    override func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) {
        self.handler.withLock { $0 = handler }
        super.setEventHandler(handler)
    }
}

/// The test is both render thread and clock: results do not depend on the speed of the machine.
@Suite("Tuning an I/O buffer: in a session", .timeLimit(.minutes(2)))
struct TunerTests {
    private let driver = StumblingDriver()
    private let clock = HandClock()
    private let host: AudioSessionHost
    private let session: AudioSession

    init() throws {
        host = AudioSessionHost(driver: driver, settings: ArbiterSettings(), clock: clock)
        session = try AudioSession(host: host)
        try session.setCategory(.playback)
    }

    private func tuner(_ configuration: IOBufferTuner.Configuration) throws -> IOBufferTuner {
        try IOBufferTuner(session: session, configuration: configuration)
    }

    /// Renders in steps of 50 ms, and lets the tuner follow. With a period below `clean`, each step
    /// has an xrun.
    private func pass(_ tuner: IOBufferTuner, seconds: Double, clean: Int = 0) throws {
        for _ in 0..<Int(seconds * 20) {
            try driver.inner.render(frames: Int(session.sampleRate) / 20)
            if let period = driver.format?.periodFrames, period < clean { driver.stumble() }
            clock.advance(by: .milliseconds(50))
            host.settle()
            tuner.settle()
        }
    }

    private func kinds(_ tuner: IOBufferTuner) -> [IOBufferTuner.Step.Kind] { tuner.trace.map(\.kind) }

    @Test("HW-2, ACT-9: the preferred duration shrinks until a period has xruns, then settles")
    func settles() async throws {
        let tuner = try tuner(.init(hold: .seconds(1)))
        try session.setActive(true)
        tuner.start()
        try pass(tuner, seconds: 20, clean: 64)
        #expect(session.ioBufferDuration == 64.0 / 48_000 && session.preferredIOBufferDuration == 64.0 / 48_000)
        #expect(
            kinds(tuner) == [
                .began, .shortened(from: 1_024), .shortened(from: 512), .shortened(from: 256), .shortened(from: 128),
                .shortened(from: 64), .xrun, .lengthened(from: 32), .shortened(from: 64), .xrun, .lengthened(from: 32),
                .settled(.shorterHasXruns),
            ])
        #expect(zip(tuner.trace, tuner.trace.dropFirst()).allSatisfy { $0.frame <= $1.frame && $0.xruns <= $1.xruns })
        tuner.stop()
        #expect(kinds(tuner).last == .ended(.stopped))
        var notified: [IOBufferTuner.Step] = []
        for await step in tuner.steps { notified.append(step) }
        #expect(notified == tuner.trace, "late listeners receive all steps")
        // The preferred duration remains set. When the session deactivates, the server's period is
        // restored.
        #expect(session.ioBufferDuration == 64.0 / 48_000)
        try session.setActive(false)
        #expect(session.ioBufferDuration == 1_024.0 / 48_000)
    }

    @Test("HW-2: another session's shorter preferred duration is accepted, and so is its end")
    func otherSession() throws {
        let tuner = try tuner(.init(periods: 256...4_096, hold: .seconds(1)))
        try session.setActive(true)
        tuner.start()
        try pass(tuner, seconds: 5)
        #expect(driver.format?.periodFrames == 256)
        let other = try AudioSession(host: host)
        try other.setCategory(.playback, mode: .default, options: .mixWithOthers)
        try other.setPreferredIOBufferDuration(64.0 / 48_000)
        try other.setActive(true)
        try pass(tuner, seconds: 3)
        #expect(driver.format?.periodFrames == 64 && kinds(tuner).last == .settled(.shortest))
        driver.stumble()
        try pass(tuner, seconds: 3)
        #expect(session.preferredIOBufferDuration == 256.0 / 48_000 && driver.format?.periodFrames == 64)
        #expect(kinds(tuner).contains(.refused(asked: 256)))
        try other.setActive(false)
        try pass(tuner, seconds: 3)
        #expect(driver.format?.periodFrames == 256 && kinds(tuner).last == .settled(.shortest))
        tuner.stop()
    }

    @Test("HW-1: a server that accepts no other period is asked once; its events cause no further request")
    func fixed() throws {
        driver.takes.withLock { $0 = { _ in false } }
        let tuner = try tuner(.init(hold: .seconds(1)))
        try session.setActive(true)
        tuner.start()
        try pass(tuner, seconds: 5)
        #expect(kinds(tuner) == [.began, .refused(asked: 512), .settled(.serverKeepsIt)])
        #expect(session.ioBufferDuration == 1_024.0 / 48_000)
        tuner.stop()
    }

    @Test("HW-2: a period change made at the server has precedence")
    func atTheServer() throws {
        let tuner = try tuner(.init(hold: .seconds(1)))
        try session.setActive(true)
        tuner.start()
        try pass(tuner, seconds: 2)
        _ = try driver.inner.requestPeriod(frames: 2_048)
        try pass(tuner, seconds: 10)
        #expect(driver.format?.periodFrames == 2_048 && kinds(tuner).last == .settled(.setByOthers))
        tuner.stop()
        try session.setActive(false)
        #expect(driver.format?.periodFrames == 2_048, "and keeps it")
    }

    @Test("HW-2: a preferred duration set by the app ends tuning and stays in effect", arguments: [0, 0.004])
    func ownRequest(duration: Double) throws {
        let tuner = try tuner(.init(hold: .seconds(1)))
        try session.setPreferredIOBufferDuration(0.05)
        try session.setActive(true)
        tuner.start()
        try pass(tuner, seconds: 3)
        #expect(kinds(tuner).count > 1)
        try session.setPreferredIOBufferDuration(duration)
        try pass(tuner, seconds: 5)
        #expect(kinds(tuner).last == .ended(.requestChanged) && session.preferredIOBufferDuration == duration)
        tuner.start()
        #expect(kinds(tuner).last == .ended(.requestChanged), "once")
    }

    @Test("ACT-9, INT-1: tuning waits for the activation, and pauses while the session is interrupted")
    func interrupted() throws {
        let tuner = try tuner(.init(periods: 256...4_096, hold: .seconds(1)))
        tuner.start()
        clock.advance(by: .seconds(10))
        host.settle()
        tuner.settle()
        #expect(tuner.trace.isEmpty)
        try session.setActive(true)
        try pass(tuner, seconds: 4)
        #expect(driver.format?.periodFrames == 256)
        try host.beginInterruption(by: .alarm)
        try pass(tuner, seconds: 4, clean: 2_048)
        #expect(driver.format?.periodFrames == 1_024 && kinds(tuner).last == .paused)
        try host.endInterruption()
        host.settle()
        try session.setActive(true)
        try pass(tuner, seconds: 4)
        #expect(driver.format?.periodFrames == 256)
        #expect(kinds(tuner).contains(.resumed))
        #expect(!kinds(tuner).contains(.xrun) && kinds(tuner).last == .settled(.shortest))
        tuner.stop()
    }

    @Test("SRV-1, SRV-2: results are discarded when the server returns; if it does not return, tuning ends")
    func serverReturns() throws {
        let tuner = try tuner(.init(hold: .seconds(1)))
        try session.setActive(true)
        tuner.start()
        try pass(tuner, seconds: 20, clean: 256)
        #expect(kinds(tuner).last == .settled(.shorterHasXruns))
        driver.notify(.serverReturned(try #require(driver.format)))
        try pass(tuner, seconds: 20, clean: 64)
        #expect(driver.format?.periodFrames == 64 && kinds(tuner).filter { $0 == .began }.count == 2)
        driver.notify(.serverGone)
        host.settle()
        tuner.settle()
        #expect(kinds(tuner).last == .ended(.serverGone))
    }

    @Test("restart() retries periods that had xruns")
    func restart() throws {
        let tuner = try tuner(.init(hold: .seconds(1)))
        try session.setActive(true)
        tuner.start()
        try pass(tuner, seconds: 20, clean: 512)
        #expect(driver.format?.periodFrames == 512)
        tuner.restart()
        try pass(tuner, seconds: 20, clean: 64)
        #expect(driver.format?.periodFrames == 64)
        tuner.stop()
    }

    @Test("HW-4: the limits of the preferred duration apply at any rate")
    func highRate() throws {
        driver.inner.setSampleRate(192_000)
        let tuner = try tuner(.init(hold: .seconds(1)))
        try session.setActive(true)
        tuner.start()
        try pass(tuner, seconds: 20)
        // 0.3 ms are 57.6 frames.
        #expect(driver.format?.periodFrames == 64 && kinds(tuner).last == .settled(.shortest), "\(kinds(tuner))")
        tuner.stop()
    }

    @Test("HW-5: while the buffer is tuned, the output equals the source, frame for frame")
    func position() throws {
        let tuner = try tuner(.init(hold: .milliseconds(200)))
        try session.setActive(true)
        let source = Signal.counting(frames: 48_000 * 4)
        try session.engine.play(.buffer(try AudioBuffer([source])), on: session.bus)
        tuner.start()
        var heard: [Float] = []
        for _ in 0..<60 {
            heard += try #require(try driver.inner.render(frames: 2_400).first)
            clock.advance(by: .milliseconds(50))
            tuner.settle()
        }
        #expect(driver.format?.periodFrames == 16)
        let begin = try #require(heard.firstIndex { $0 != 0 })
        #expect(Signal.firstDifference(heard[begin...], source.prefix(heard.count - begin)) == nil)
        tuner.stop()
    }

    @Test("tuneIOBufferDuration() needs an active session, returns the settled value, and ends with its task")
    func call() async throws {
        let error = await #expect(throws: AudioSessionError.self) { try await session.tuneIOBufferDuration() }
        #expect(error?.errorCode == .sessionNotActive)
        let bad = await #expect(throws: AudioSessionError.self) {
            try await session.tuneIOBufferDuration(.init(tries: 0))
        }
        #expect(bad?.errorCode == .badParam)
        try session.setActive(true)
        let cancelled = Task { try await session.tuneIOBufferDuration() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        driver.takes.withLock { $0 = { $0 >= 512 } }
        let tuned = try await rendering { try await session.tuneIOBufferDuration(.init(hold: .milliseconds(100))) }
        #expect(tuned == 512.0 / 48_000)
    }

    @Test("HW-2: the example on the page: tuning once, or until the app ends it") func page() async throws {
        driver.takes.withLock { $0 = { $0 >= 512 } }
        try session.setActive(true)
        let tuner = try await rendering {
            // [tuning]
            // Once: the settled duration in seconds.
            print(try await session.tuneIOBufferDuration())
            let tuner = try IOBufferTuner(session: session)  // or for as long as the app wants
            tuner.start()
            // [end]
            return tuner
        }
        try pass(tuner, seconds: 11)
        #expect(kinds(tuner) == [.began, .refused(asked: 256), .settled(.serverKeepsIt)])
        tuner.stop()
    }

    /// Renders until `body` is done.
    private func rendering<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value
    {
        let isDone = Mutex(false)
        let result = Task {
            defer { isDone.withLock { $0 = true } }
            return try await body()
        }
        while !isDone.withLock({ $0 }) {
            try driver.inner.render(frames: 2_400)
            clock.advance(by: .milliseconds(50))
            await Task.yield()
        }
        return try await result.value
    }
}
