import AudioRendering
import AudioSessions
import Processes
import Reporting

/// The same measurement without a server, for periods that are too short for a server on such a
/// machine. The core is called with as many frames.
enum OfflineThrough {
    static let periods = [16, 32]

    static func measure(_ findings: inout Findings, _ table: inout Table, impulses: Int) throws {
        for period in periods {
            for voices in [0, 1_024] {
                let added = try addedFrames(period: period, voices: voices, impulses: impulses)
                let statistics = Statistics(added)
                findings.results.append(
                    Measurement(
                        "through.added_frames", "swift-audio-session", "frames", statistics,
                        [
                            "server": "offline", "period": .whole(period), "sampleRate": 48_000,
                            "voices": .whole(voices),
                        ]))
                table.add(
                    ["offline", "\(period)", "", "\(voices)", "\(impulses)", "0", "", "", digits(statistics.maximum)])
            }
        }
    }

    private static func addedFrames(period: Int, voices: Int, impulses: Int) throws -> [Double] {
        let driver = OfflineDriver(channels: 2, inputChannels: 1, periodFrames: period)
        let host = AudioSessionHost(driver: driver, configuration: .init(maximumVoices: 2_048))
        let (session, engine, input) = try ProbedApp.openSession(host)
        try engine.play(.input(input.capture), on: session.bus, map: .gains([[1], [0]]))
        if voices > 0 {
            let buffer = try AudioBuffer([[Float](repeating: 0.5 / Float(voices), count: 4_096)])
            let map = try ChannelMap.gains([[0], [1]])
            for number in 0..<voices {
                try engine.play(.buffer(buffer, loop: .forever), on: session.bus, map: map)
                // The queue does not hold the commands of more voices for one period.
                if number % 128 == 127 { try driver.render(frames: period) }
            }
        }
        // Waits until all ramps have ended.
        try driver.render(frames: 48_000)
        return try (0..<impulses).map { number in
            let length = 4 * period
            let position = Int.random(in: 0..<length)
            var incoming = [Float](repeating: 0, count: length)
            incoming[position] = Float(number % 4_095 + 1) / 4_096
            let planes = try driver.render(frames: length, inputs: [incoming])
            guard let heard = planes[0].firstIndex(of: incoming[position]), planes[0].count(where: { $0 != 0 }) == 1,
                planes[1].allSatisfy({ $0 == (voices > 0 ? 0.5 : 0) })
            else { throw BenchmarkError("offline, the output of an impulse or of \(voices) voices is wrong") }
            return Double(heard - position)
        }
    }
}
