import CMIDIProbe
import Foundation
import Glibc
import TestSupport
import Testing

extension RealServers {
    /// The example of a plain JACK client that joins the audio session, in C.
    @Suite("A JACK client in C with a session", .serialized)
    struct RealJoinTests {
        @Test(
            "Examples/Join is silent during a call or after a media key, and goes on with the next sample",
            arguments: [
                (["call", "ring"], "join: interrupted", ["call", "decline"]),
                (["remote", "pause"], "join: paused", ["remote", "play"]),
            ])
        func join(pausing: [String], paused: String, resuming: [String]) throws {
            let name = try ServerName()
            let server = try JackServer(name, periodFrames: 256)
            defer { server.stop() }
            let service = try ServiceFolder()
            let environment = server.environment.merging(["AUDIOSESSION_SOCKET": service.socket]) { $1 }
            let example = try ChildProcess(try BuiltProgram.path("join"), [], environment: environment)
            #expect(eventually { example.output.contains("join: plays") }, "\(example.output)")
            /// Runs the command, and waits until the example has printed the line once more.
            func control(_ arguments: [String], awaiting line: String) throws {
                func count() -> Int { example.output.components(separatedBy: line).count }
                let before = count()
                let (status, output) = try ChildProcess.run(
                    try BuiltProgram.path("audiosession"), arguments, environment: environment)
                #expect(status == 0, "\(output)")
                #expect(eventually { count() > before }, "\(example.output)")
            }
            let probe = try MIDIProbe(on: name)
            try probe.connect("join:out", to: "probe-listener:audio")
            // 220 Hz repeats after 2,400 frames; a ramp of 5 ms is shorter than 480.
            let period = 2_400
            let ramp = 480
            let recording = try probe.record(
                [], frames: 384_000,
                during: {
                    probe.waitForSound(frames: period + ramp)
                    try control(pausing, awaiting: paused)
                    try control(resuming, awaiting: "join: resumes")
                },
                isLate: { lacksPeriod($0.audio, until: 3 * period) })
            let sound = recording.audio
            let begin = try #require(sound.firstIndex { $0 != 0 })
            let pause = try #require(longestSilence(in: sound[begin...]))
            #expect(pause.count > 256)
            // Without the pause, it is the periodic tone, but for the two ramps.
            let before = (pause.lowerBound - ramp - period)..<(pause.lowerBound - ramp)
            try #require(before.lowerBound >= begin && sound.count > pause.upperBound + 3 * period)
            #expect(sound[before].max().map { abs($0 - 0.26) < 0.02 } == true)
            // The last frame of the fade-out has a gain of 0.
            let shift = pause.count - 1 + 2 * period
            let goesOn = before.allSatisfy { abs(sound[$0 + shift] - sound[$0]) < 1e-3 }
            #expect(goesOn)
            _ = kill(example.identifier, SIGTERM)
            #expect(example.waitForEnd(seconds: 20) && example.reap() == 0)
        }

        /// Returns whether the server has lost a period of the example, which was late: silence
        /// where it plays, to this many frames after the pause, or a ramp that is missing.
        private func lacksPeriod(_ sound: [Float], until end: Int) -> Bool {
            guard let begin = sound.firstIndex(where: { $0 != 0 }), let pause = longestSilence(in: sound[begin...]),
                pause.lowerBound > begin + 24, pause.upperBound + end + 256 <= sound.count
            else { return false }
            func isSilent(_ frames: Range<Int>, within level: Float) -> Bool {
                sound[frames].allSatisfy { abs($0) <= level }
            }
            let periods = stride(from: begin / 256 * 256, to: pause.upperBound + end, by: 256).map { $0..<($0 + 256) }
            return periods.contains { !$0.overlaps(pause) && isSilent($0, within: 0) }
                || !isSilent((pause.lowerBound - 24)..<pause.lowerBound, within: 0.05)
                || !isSilent(pause.upperBound..<(pause.upperBound + 24), within: 0.05)
        }

        private func longestSilence(in samples: ArraySlice<Float>) -> Range<Int>? {
            var longest: Range<Int>?
            var begin: Int?
            for index in samples.indices {
                if samples[index] == 0 {
                    begin = begin ?? index
                    if let begin, index + 1 - begin > longest?.count ?? 0 { longest = begin..<(index + 1) }
                } else {
                    begin = nil
                }
            }
            return longest
        }
    }
}
