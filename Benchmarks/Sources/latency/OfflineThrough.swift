import AudioRendering
import AudioSessions
import Processes
import Reporting

/// The same without a server: the periods that no server keeps on a machine like this. What calls the core calls it with as many frames.
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
                // One period's queue does not hold them all.
                if number % 128 == 127 { try driver.render(frames: period) }
            }
        }
        // What ramps has settled.
        try driver.render(frames: 48_000)
        return try (0..<impulses).map { number in
            let length = 4 * period
            let place = Int.random(in: 0..<length)
            var incoming = [Float](repeating: 0, count: length)
            incoming[place] = Float(number % 4_095 + 1) / 4_096
            let planes = try driver.render(frames: length, inputs: [incoming])
            guard let heard = planes[0].firstIndex(of: incoming[place]), planes[0].count(where: { $0 != 0 }) == 1,
                planes[1].allSatisfy({ $0 == (voices > 0 ? 0.5 : 0) })
            else { throw BenchmarkError("offline, an impulse or \(voices) voices are not what they must be") }
            return Double(heard - place)
        }
    }
}
