import AudioRendering
import AudioSessions
import COpenALLoopback
import OpenALRecipe
import TestSupport
import Testing

extension RealServers {
    @Suite("A game that mixes with OpenAL", .serialized)
    struct OpenALGameTests {
        @Test(
            "INT-1, INT-8: during a call its device receives silence and its context stands still; then the very next frame",
            .jackdOnly("PipeWire drops whole periods"))
        func call() throws {
            let fixture = try RouteFixture()
            defer { fixture.server.stop() }
            let context = try OpenALContext(sampleRate: 48_000)
            let samples = Signal.counting(frames: 960_000)
            var source: UInt32 = 0
            try OpenALError.check(
                openal_source_play(context.loopback, samples, 1, UInt32(samples.count), 48_000, &source))
            try OpenALError.check(openal_source_move(context.loopback, source, -1, 0, 0))
            let game = try OpenALGame(session: try AudioSession(host: fixture.host), context: context)
            let speaker = fixture.speaker

            try game.play()
            #expect(eventually { context.framesRendered > 48_000 })
            try fixture.host.ring()
            fixture.host.settle()
            #expect(context.isPaused && !openal_loopback_is_current(context.loopback))
            let mixed = context.framesRendered
            #expect(try eventually { try isSilent(speaker) })
            let before = try heard(by: speaker)
            let received = try speaker.captured()[0].count
            #expect(try eventually { try speaker.captured()[0].count > received + 24_000 })
            #expect(try isSilent(speaker) && context.framesRendered == mixed)

            try fixture.host.declineCall()
            fixture.host.settle()
            #expect(openal_loopback_is_current(context.loopback))
            #expect(eventually { context.framesRendered > mixed + 24_000 })
            try game.pause()
            #expect(try eventually { try isSilent(speaker) })
            let after = Array(try heard(by: speaker)[before.count...])
            fixture.host.close()

            // The two fades of 240 frames are not compared; a fade may end with a frame of 0.
            let numbers = after.map { Int(($0 * 1_048_576).rounded()) }
            try #require(numbers.count > 10_000)
            #expect(abs(numbers[300] - before.count - 301) <= 2, "\(numbers[300]) after \(before.count) frames")
            let steady = numbers[300..<(numbers.count - 300)]
            #expect(zip(steady, steady.dropFirst()).allSatisfy { $1 == $0 + 1 })
            #expect(context.renderFailure == nil)
        }

        /// Whether the device has received silence for the last 4,096 frames.
        private func isSilent(_ speaker: VirtualDevice) throws -> Bool {
            try speaker.captured(last: 4_096)[0].allSatisfy { $0 == 0 }
        }

        /// Returns what the device has received on its left: the game's frames, without the silence
        /// between them and without cycles that the server missed.
        private func heard(by speaker: VirtualDevice) throws -> [Float] {
            try speaker.captured()[0].filter { $0 != 0 }
        }
    }
}
