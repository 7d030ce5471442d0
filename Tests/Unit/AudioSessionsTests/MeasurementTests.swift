import AudioRendering
import AudioSessions
import Dispatch
import TestSupport
import Testing

/// Mode measurement: the library does not process the signal.
@Suite struct MeasurementTests {
    private let loud = [Float](repeating: 1, count: 96_000)

    @Test func `an output is not limited while a session in mode measurement plays on it`() throws {
        let stage = HostFixture()
        let (measuring, music) = (try stage.session(.playback), try stage.session(.ambient))
        try measuring.setActive(true)
        let engine = try measuring.engine
        let limiter = try AudioLimiter(ceilingDecibels: -6)
        try engine.setLimiter(limiter, of: try #require(engine.routes.first))
        try stage.play(loud, in: measuring)
        #expect(limiter.latencyFrames > 0)
        _ = try stage.render(4_800)

        try measuring.setMode(.measurement)
        #expect(limiter.latencyFrames == 0 && limiter.gainReduction == 0)
        _ = try stage.render(4_800)
        #expect(try stage.render(4_800) == Array(repeating: 1, count: 4_800), "bit-exact")

        try music.setMode(.default)
        #expect(limiter.latencyFrames == 0, "another session's mode does not re-enable it")
        try measuring.setCategory(.playback, mode: .moviePlayback)
        #expect(limiter.latencyFrames > 0)
        _ = try stage.render(4_800)
        #expect(try stage.render(4_800).max() ?? 1 < 0.502)
    }

    @Test func `the limiter follows the last mode set from any thread`() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try session.setActive(true)
        let limiter = try AudioLimiter()
        try session.engine.setLimiter(limiter, of: try #require(session.engine.routes.first))
        for round in 0..<100 {
            let modes: [AudioSession.Mode] = [.measurement, .default, .moviePlayback, .measurement]
            DispatchQueue.concurrentPerform(iterations: modes.count) { try? session.setMode(modes[$0]) }
            // The rounds do not wait for each other's crossfades.
            _ = try stage.render(512)
            #expect((limiter.latencyFrames > 0) == (session.mode != .measurement), "round \(round)")
        }
    }

    @Test func `a limiter that is set during a measurement takes effect at its end`() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback, mode: .measurement)
        try session.setActive(true)
        let engine = try session.engine
        let limiter = try AudioLimiter()
        try engine.setLimiter(limiter, of: try #require(engine.routes.first))
        #expect(limiter.latencyFrames == 0)
        try session.setMode(.default)
        #expect(limiter.latencyFrames > 0)
    }
}
