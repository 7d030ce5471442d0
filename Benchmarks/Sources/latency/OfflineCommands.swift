import AudioRendering
import AudioSessions
import Processes
import Reporting

/// Measures commands without a server, at periods that are too short for a server on such a
/// machine. Commands are posted between two cycles, since the same thread calls the core.
enum OfflineCommands {
    static func measure(_ findings: inout Findings, _ table: inout Table, count: Int) throws {
        for period in OfflineThrough.periods {
            let (beyond, errors) = try post(count, period: period)
            let conditions: Conditions = [
                "server": "offline", "period": .whole(period), "sampleRate": 48_000, "command": "start",
            ]
            findings.results += [
                Measurement(
                    "command.frames_beyond_next_cycle", "swift-audio-session", "frames", Statistics(beyond), conditions),
                Measurement(
                    "command.scheduled_error_frames", "swift-audio-session", "frames", Statistics(errors), conditions),
            ]
            table.add(
                ["offline", "\(period)", "start", "\(count)", digits(beyond.max() ?? 0), "", "", "", "", ""]
                    + [digits(Statistics(errors).median), digits(errors.max() ?? 0)])
        }
    }

    /// Returns, for commands without a time, the frames beyond the first frame of the next cycle,
    /// and for commands with a time, the distance from the requested frame.
    private static func post(_ count: Int, period: Int) throws -> ([Double], [Double]) {
        let driver = OfflineDriver(channels: 2, periodFrames: period)
        let session = try AudioSession(host: AudioSessionHost(driver: driver))
        try session.setCategory(.playback)
        try session.setActive(true)
        let engine = try session.engine
        let queue = try engine.makeCommandQueue()
        let sound = try engine.makeSound(try AudioBuffer([[1]]), on: session.bus, map: .gains([[1], [0]]))
        try driver.render(frames: 48_000)
        func heard(_ value: Float) throws -> Double {
            let plane = try driver.render(frames: 4 * period)[0]
            guard let frame = plane.firstIndex(of: value), plane.count(where: { $0 != 0 }) == 1 else {
                throw BenchmarkError("offline, a sound was not heard exactly once")
            }
            return Double(frame)
        }
        var (beyond, errors) = ([Double](), [Double]())
        for number in 0..<count {
            let value = Float(number % 4_095 + 1) / 4_096
            try queue.trigger(sound, gain: value)
            beyond.append(try heard(value))
            let wait = Int.random(in: 0..<(4 * period))
            try queue.trigger(sound, gain: value, at: engine.currentFrame + UInt64(wait))
            errors.append(abs(try heard(value) - Double(wait)))
        }
        return (beyond, errors)
    }
}
