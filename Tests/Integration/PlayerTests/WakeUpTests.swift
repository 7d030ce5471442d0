import Foundation
import TestSupport
import Testing

/// How often the player's threads are woken. While it plays, libjack's own threads do not count:
/// the server wakes them in every cycle.
@Suite("player: wake-ups", .serialized)
struct WakeUpTests {
    let stage: ServiceEnvironment
    let server: JackServer

    init() throws {
        stage = try ServiceEnvironment()
        server = try JackServer(ServerName(), periodFrames: 1024)
        let sine = Signal.sine(frequency: 440, sampleRate: 44_100, frames: 44_100 * 120)
        try SoundFile.write([sine, sine], sampleRate: 44_100, to: stage.directory.file("tone.wav"))
    }

    private static func waits(of process: pid_t, includingJack: Bool) -> [Int: Int] {
        let threads = OtherProcess.threads(of: process).filter { includingJack || !$0.name.hasPrefix("audio-jack") }
        return Dictionary(uniqueKeysWithValues: threads.map { ($0.id, $0.waits) })
    }

    /// Returns the fewest wake-ups a second that were measured in windows of two seconds: up to the
    /// first window with at most `limit`, at most ten. Xruns wake threads as well, so that a loaded
    /// machine disturbs some windows; polling would disturb all.
    private func wakeUps(of process: pid_t, limit: Double, includingJack: Bool = false) -> Double {
        var least = Double.infinity
        for _ in 0..<10 where least > limit {
            let before = Self.waits(of: process, includingJack: includingJack)
            let begin = ContinuousClock.now
            poll(nil, 0, 2000)
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            let woken = Self.waits(of: process, includingJack: includingJack).map { $1 - (before[$0] ?? 0) }.reduce(
                0, +)
            least = min(least, Double(woken) / seconds)
        }
        return least
    }

    @Test(
        "A player that plays wakes at most 20 times a second; interrupted, at most 5 times, after a while with libjack's threads",
        arguments: ["lines", "json"])
    func wakeUps(ui: String) throws {
        let style = ui == "json" ? ["--events", "json"] : ["--ui", ui]
        let run = try PlayerRun(
            ["--server", server.name] + style + [stage.directory.file("tone.wav")], environment: stage.environment)
        let session = ui == "json" ? "\"event\":\"session\"" : "music:"
        #expect(run.waitForLine(session), "\(run.errorLines)")
        #expect(wakeUps(of: run.identifier, limit: 20) <= 20)
        #expect(try stage.audiosession("interrupt", "begin").status == 0)
        #expect(run.waitForLine("interrupt"))
        #expect(wakeUps(of: run.identifier, limit: 5) <= 5)
        // After a while, the server does not wake it either.
        #expect(wakeUps(of: run.identifier, limit: 5, includingJack: true) <= 5)
        #expect(try stage.audiosession("interrupt", "end").status == 0)
        #expect(run.waitForLine("ended"))
        #expect(wakeUps(of: run.identifier, limit: 20) <= 20)
        run.send(SIGINT)
        #expect(run.exit() == 0, "\(run.errorLines)")
    }
}
