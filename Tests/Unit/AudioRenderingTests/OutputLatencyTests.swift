import AudioRendering
import TestSupport
import Testing

/// What an engine tells its driver of its own latency.
@Suite struct OutputLatencyTests {
    private let front = OutputRoute(firstChannel: 0, channels: 2)
    private let back = OutputRoute(firstChannel: 2, channels: 2)

    /// Told on a thread of the engine's.
    private func tells(_ latencies: [OutputLatency], by driver: OfflineDriver) -> Bool {
        eventually { driver.outputLatencies == latencies }
    }

    @Test func `it is its buses' range and its limiter's, of each output`() throws {
        let stage = try EngineFixture(channels: 4)
        let limiter = try AudioLimiter()
        #expect(stage.driver.outputLatencies == [])
        try stage.bus.lead(to: [front, back])
        try stage.engine.setLimiter(limiter, of: front)
        let own = limiter.latencyFrames
        #expect(own > 0 && tells([.init(channels: 0..<2, frames: own...own)], by: stage.driver))

        // What is live is not made up for.
        let graph = BusGraph(buses: [
            .init("late", insert: try Delay(frames: 100).insert()), .init("live", isLive: true),
        ])
        try stage.bus.setGraph(graph)
        #expect(
            tells(
                [.init(channels: 0..<2, frames: own...own + 100), .init(channels: 2..<4, frames: 0...100)],
                by: stage.driver))

        // Another session's.
        let gate = try TestGate()
        let other = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        try other.lead(to: [back])
        try stage.bus.lead(to: [front])
        #expect(tells([.init(channels: 0..<2, frames: own...own + 100)], by: stage.driver))

        try stage.bus.setGraph(BusGraph())
        try stage.bus.setAllowsLimiting(false)
        #expect(tells([], by: stage.driver))
        try stage.bus.setAllowsLimiting(true)
        #expect(tells([.init(channels: 0..<2, frames: own...own)], by: stage.driver))
        try stage.engine.setLimiter(nil, of: front)
        #expect(tells([], by: stage.driver))
    }

    @Test func `where outputs overlap, it is that of both`() throws {
        let stage = try EngineFixture(channels: 4)
        let limiter = try AudioLimiter()
        let gate = try TestGate()
        let other = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        try stage.bus.lead(to: [front])
        try other.lead(to: [OutputRoute(firstChannel: 1, channels: 3)])
        try stage.engine.setLimiter(limiter, of: front)
        let own = limiter.latencyFrames
        #expect(
            tells(
                [.init(channels: 0..<1, frames: own...own), .init(channels: 1..<2, frames: 0...own)], by: stage.driver))
    }

    @Test func `a driver's next engine has its own`() throws {
        let stage = try EngineFixture()
        try stage.engine.setLimiter(AudioLimiter(), of: front)
        #expect(eventually { !stage.driver.outputLatencies.isEmpty })
        stage.engine.close()
        let next = try AudioEngine(driver: stage.driver)
        #expect(stage.driver.outputLatencies == [] && next.routes.count == 1)
    }

    @Test func `it follows the rate`() throws {
        let stage = try EngineFixture()
        let limiter = try AudioLimiter()
        try stage.engine.setLimiter(limiter, of: front)
        let frames = limiter.latencyFrames
        stage.driver.setSampleRate(96_000)
        #expect(limiter.latencyFrames > frames)
        let own = limiter.latencyFrames
        #expect(tells([.init(channels: 0..<2, frames: own...own)], by: stage.driver))
    }
}
