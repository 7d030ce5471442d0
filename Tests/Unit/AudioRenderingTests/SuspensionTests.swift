import AudioRendering
import Foundation
import Platform
import TestSupport
import Testing

/// An offline driver that counts as one with a clock, and fails to start on request.
private final class ClockedDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    let failure = Mutex<DriverError?>(nil)

    override var hasClock: Bool { true }

    override func start() throws(DriverError) {
        if let failure = failure.withLock({ $0 }) { throw failure }
        try super.start()
    }
}

@Suite("The engine's clock while it is suspended")
struct SuspensionTests {
    private let driver = ClockedDriver(OfflineDriver(sampleRate: 48_000, channels: 1))
    private let engine: AudioEngine

    init() throws { engine = try AudioEngine(driver: driver) }

    /// Reads the clock before and after `body`, and checks that it has advanced by the real time.
    private func expectRealTime(_ body: () throws -> Void) rethrows {
        let earliest = SuspendingClock.now
        let frame = engine.currentFrame
        let latest = SuspendingClock.now
        try body()
        let least = SuspendingClock.now - latest
        let frames = Double(engine.currentFrame - frame)
        let most = SuspendingClock.now - earliest
        // Both readings are rounded down to whole frames.
        #expect(frames <= most / .seconds(1) * 48_000 + 1)
        #expect(frames >= least / .seconds(1) * 48_000 - 1)
    }

    @Test("It continues in real time, and rendering continues from there")
    func continues() throws {
        try engine.start()
        _ = try driver.inner.render(frames: 1_000)
        #expect(engine.currentFrame == 1_000)
        engine.suspend()
        expectRealTime { #expect(eventually { engine.currentFrame > 5_000 }) }
        let before = engine.currentFrame
        engine.suspend()  // changes nothing
        #expect(engine.currentFrame >= before)
        try engine.start()
        let begin = engine.currentFrame
        #expect(begin >= before)
        _ = try driver.inner.render(frames: 500)
        #expect(engine.currentFrame == begin + 500)
        try engine.start()
        #expect(engine.currentFrame == begin + 500)
    }

    @Test("It stands still while the engine is stopped or closed, and never goes back")
    func standsStill() throws {
        engine.suspend()
        #expect(engine.currentFrame == 0)
        try engine.open()
        engine.suspend()
        #expect(engine.currentFrame == 0, "nothing has been started")
        try engine.start()
        _ = try driver.inner.render(frames: 100)
        engine.stop()
        engine.suspend()
        #expect(engine.currentFrame == 100)
        try engine.start()
        engine.suspend()
        #expect(eventually { engine.currentFrame > 200 })
        engine.close()
        let closed = engine.currentFrame
        #expect(closed > 200)
        poll(nil, 0, 20)
        #expect(engine.currentFrame == closed)
    }

    @Test("It continues if a start fails, and stands still with a driver that has none")
    func failedStart() throws {
        try engine.start()
        engine.suspend()
        #expect(eventually { engine.currentFrame > 100 })
        driver.failure.withLock { $0 = .timedOut(call: "the request", seconds: 1) }
        let before = engine.currentFrame
        #expect(throws: DriverError.self) { try engine.start() }
        #expect(eventually { engine.currentFrame > before + 480 })
        driver.failure.withLock { $0 = nil }
        try engine.start()
        #expect(engine.currentFrame > before + 480)

        let offline = try AudioEngine(driver: OfflineDriver(sampleRate: 48_000, channels: 1))
        try offline.start()
        offline.suspend()
        poll(nil, 0, 20)
        #expect(offline.currentFrame == 0)
        try offline.start()
        #expect(offline.currentFrame == 0)
    }

    @Test("INT-8: a command that is due in the suspension takes effect with the first frame, and is late")
    func lateCommand() throws {
        let gate = try TestGate(rampMilliseconds: 0)
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try engine.start()
        let one = VoiceSource.buffer(try AudioBuffer([[Float](repeating: 1, count: 480)]))
        let due = engine.currentFrame + 100
        try engine.play(one, on: bus, at: due)
        engine.suspend()
        #expect(eventually { engine.currentFrame > due + 10 })
        // Posted during the suspension, by the same clock.
        let next = engine.currentFrame + 96_000
        try engine.play(one, on: bus, at: next)
        try engine.start()
        let begin = engine.currentFrame
        #expect(engine.counters.lateCommands == 0)
        let sound = try driver.inner.render(frames: 1_000)[0]
        #expect(engine.counters.lateCommands == 1)
        #expect(sound[0] == 1 && sound[479] == 1 && sound[480] == 0)
        let rest = try driver.inner.render(frames: Int(next - begin))[0]
        #expect(rest.firstIndex(of: 1) == Int(next - begin) - 1_000)
    }
}
