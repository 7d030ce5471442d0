import AudioRendering
import TestSupport
import Testing

/// The output latency that an engine reports to its driver.
@Suite struct OutputLatencyTests {
    private let front = OutputRoute(firstChannel: 0, channels: 2)
    private let back = OutputRoute(firstChannel: 2, channels: 2)

    /// Waits for the report, which comes from a thread of the engine.
    private func notifies(_ latencies: [OutputLatency], by driver: OfflineDriver) -> Bool {
        eventually { driver.outputLatencies == latencies }
    }

    @Test func `each output's latency is the range of its buses plus its limiter`() throws {
        let stage = try EngineFixture(channels: 4)
        let limiter = try AudioLimiter()
        #expect(stage.driver.outputLatencies == [])
        try stage.bus.setOutputs([front, back])
        try stage.engine.setLimiter(limiter, of: front)
        let own = limiter.latencyFrames
        #expect(own > 0 && notifies([.init(channels: 0..<2, frames: own...own)], by: stage.driver))

        // A compensation-exempt bus is not delayed for others.
        let graph = BusGraph(buses: [
            .init("late", insert: try Delay(frames: 100).insert()), .init("live", isCompensationExempt: true),
        ])
        try stage.bus.setGraph(graph)
        #expect(
            notifies(
                [.init(channels: 0..<2, frames: own...own + 100), .init(channels: 2..<4, frames: 0...100)],
                by: stage.driver))

        // A bus of another session.
        let gate = try TestGate()
        let other = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        try other.setOutputs([back])
        try stage.bus.setOutputs([front])
        #expect(notifies([.init(channels: 0..<2, frames: own...own + 100)], by: stage.driver))

        try stage.bus.setGraph(BusGraph())
        try stage.bus.setAllowsLimiting(false)
        #expect(notifies([], by: stage.driver))
        try stage.bus.setAllowsLimiting(true)
        #expect(notifies([.init(channels: 0..<2, frames: own...own)], by: stage.driver))
        try stage.engine.setLimiter(nil, of: front)
        #expect(notifies([], by: stage.driver))
    }

    @Test func `overlapping outputs have the latency of both`() throws {
        let stage = try EngineFixture(channels: 4)
        let limiter = try AudioLimiter()
        let gate = try TestGate()
        let other = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        try stage.bus.setOutputs([front])
        try other.setOutputs([OutputRoute(firstChannel: 1, channels: 3)])
        try stage.engine.setLimiter(limiter, of: front)
        let own = limiter.latencyFrames
        #expect(
            notifies(
                [.init(channels: 0..<1, frames: own...own), .init(channels: 1..<2, frames: 0...own)], by: stage.driver))
    }

    @Test func `a driver's next engine has its own latency`() throws {
        let stage = try EngineFixture()
        try stage.engine.setLimiter(AudioLimiter(), of: front)
        #expect(eventually { !stage.driver.outputLatencies.isEmpty })
        stage.engine.close()
        let next = try AudioEngine(driver: stage.driver)
        #expect(stage.driver.outputLatencies == [] && next.routes.count == 1)
    }

    @Test func `latency follows the sample rate`() throws {
        let stage = try EngineFixture()
        let limiter = try AudioLimiter()
        try stage.engine.setLimiter(limiter, of: front)
        let frames = limiter.latencyFrames
        stage.driver.setSampleRate(96_000)
        #expect(limiter.latencyFrames > frames)
        let own = limiter.latencyFrames
        #expect(notifies([.init(channels: 0..<2, frames: own...own)], by: stage.driver))
    }

    @Test("The offline driver reports a port's changed latency as a change of its devices")
    func portLatency() throws {
        let driver = OfflineDriver()
        let engine = try AudioEngine(driver: driver)
        let changes = EventLog<Int?>()
        let observation = engine.observe { event in
            if case .driver(.devicesChanged) = event { changes.note(driver.latencyFrames(ofPort: "A:output")) }
        }
        try engine.open()
        for latency in [0, 0, 7] { driver.plug(.output("A", .lineOut), latencyFrames: latency) }
        driver.unplug("A")
        #expect(changes.noted == [0, 7, nil])
        observation.cancel()
    }
}
