import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

/// What a player plays: files, bytes, samples, and buffers that the app delivers (PLAY-1).
@Suite struct PlayerSourceTests {
    @Test("PLAY-1: a file, the same file in memory, and its samples sound the same, bit for bit")
    func sources() throws {
        let left = Signal.counting(frames: 30_000)
        let right = left.map { -$0 }
        for name in ["a.wav", "a.flac", "a.ogg"] {
            let stage = try StereoFixture()
            let file = try stage.file(name, [left, right])
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: stage.directory.file(name))))
            let planes = try SoundFile.read(stage.directory.file(name)).planes
            for source in [
                file, .data(bytes), .buffer(try AudioBuffer(planes, sampleRate: StereoFixture.rate)),
                PlaybackSource(name: "reader") { try AudioFile(path: stage.directory.file(name)) },
            ] {
                let player = try AudioPlayer(source, session: stage.session)
                #expect(player.duration == 30_000.0 / 48_000 && player.frameCount == 30_000 && player.channels == 2)
                player.currentFrame = 1_000
                try player.play()
                let output = try stage.render(30_000)
                for channel in 0..<2 {
                    let expected = planes[channel][1_000...] + [Float](repeating: 0, count: 1_000)
                    #expect(
                        Signal.firstDifference(output[channel], Array(expected)) == nil || name == "a.ogg",
                        "\(name) \(source.name)")
                }
                #expect(!player.isPlaying && player.currentTime == 0)
            }
        }
    }

    @Test("PLAY-1: what is no sound file, and samples without a rate, are refused with the reason")
    func refusals() throws {
        let stage = try StereoFixture()
        #expect(throws: AudioFileError.empty(path: "beep")) {
            try AudioPlayer(.data([], name: "beep"), session: stage.session)
        }
        let error = #expect(throws: AudioFileError.self) {
            try AudioPlayer(.data([UInt8](repeating: 7, count: 999), name: "beep"), session: stage.session)
        }
        #expect(error?.description.hasPrefix("'beep' cannot be decoded") == true)
        #expect(throws: AudioEngineError.self) {
            try AudioPlayer(.buffer(try AudioBuffer([[1]])), session: stage.session)
        }
        #expect(throws: AudioEngineError.self) { try AudioBufferQueue(channels: 0, sampleRate: 48_000) }
        let queue = try AudioBufferQueue(channels: 1, sampleRate: 48_000)
        #expect(throws: AudioEngineError.self) { try queue.append(try AudioBuffer([[1], [1]])) }
        #expect(throws: AudioEngineError.self) { try queue.append(try AudioBuffer([[1]], sampleRate: 44_100)) }
        queue.finish()
        #expect(throws: AudioEngineError.self) { try queue.append(try AudioBuffer([[1]])) }
    }

    /// A reader that claims more frames than it was asked for, or fewer than none.
    private final class Liar: AudioReader {
        let channels: Int
        let sampleRate: Int
        let frameCount: Int64 = 0
        private let claim: Int
        private var reads = 0

        init(channels: Int = 2, sampleRate: Int = 48_000, claim: Int = 0) {
            (self.channels, self.sampleRate, self.claim) = (channels, sampleRate, claim)
        }

        func read(into frames: inout [Float], maximumFrames: Int) -> Int {
            reads += 1
            return reads < 10 ? claim : 0
        }
        func seek(toFrame frame: Int64) -> Int64 { claim < 0 ? -1 : claim > 1_000_000 ? .max : frame }
    }

    @Test("PLAY-1: a reader of an app cannot crash the player, whatever it returns")
    func lyingReaders() throws {
        let stage = try StereoFixture()
        for claim in [1_000_000, -5, 0, .max, .min] {
            let player = try AudioPlayer(PlaybackSource(name: "liar") { Liar(claim: claim) }, session: stage.session)
            player.numberOfLoops = -1
            try player.play()
            player.currentFrame = .max
            player.currentFrame = .min
            player.currentTime = .infinity
            player.currentTime = -.infinity
            #expect(try stage.render(4_096)[0].allSatisfy { $0 == 0 })
            player.stop(fadeDuration: .nan)
        }
        #expect(throws: AudioEngineError.self) { try AudioStream(reader: Liar(), sampleRate: .max) }
        for (channels, rate) in [(0, 48_000), (65, 48_000), (2, 0), (2, -1), (2, .max)] {
            let source = PlaybackSource(name: "liar") { Liar(channels: channels, sampleRate: rate) }
            let error = #expect(throws: AudioFileError.self) { try AudioPlayer(source, session: stage.session) }
            #expect(error == .unsupportedShape(path: "liar", channels: channels, sampleRate: rate))
            #expect(throws: AudioEngineError.self) {
                try AudioStream(reader: Liar(channels: channels, sampleRate: rate), sampleRate: 48_000)
            }
        }
    }

    @Test("PLAY-1: buffers that the app delivers play without a gap; a late one is silence; finish() ends them")
    func delivered() throws {
        let stage = try StereoFixture()
        let queue = try AudioBufferQueue(channels: 2, sampleRate: StereoFixture.rate)
        let player = try AudioPlayer(.queue(queue), session: stage.session)
        let endings = EventLog<AudioPlayer.Ending>()
        player.onFinish { _, ending in endings.note(ending) }
        #expect(player.duration == .infinity && player.frameCount == nil)
        let source = Signal.counting(frames: 9_000)
        func append(_ range: Range<Int>) throws {
            try queue.append(try AudioBuffer([Array(source[range]), Array(source[range])]))
        }
        try append(0..<1_000)
        try append(1_000..<3_000)
        #expect(queue.pendingFrames == 3_000)
        try player.play()
        var output = try stage.render(2_048)[0]
        try append(3_000..<5_120)
        output += try stage.render(3_072)[0]
        #expect(Signal.firstDifference(output, source[..<5_120]) == nil)
        #expect(queue.pendingFrames == 0 && player.underrunFrames == 0)
        #expect(try stage.render(1_024)[0].allSatisfy { $0 == 0 })
        #expect(player.underrunFrames == 1_024 && player.isPlaying && endings.noted.isEmpty)

        try append(5_120..<9_000)
        queue.finish()
        // Read in the cycle that misses it, heard in the next one.
        let rest = try stage.render(4_352)[0]
        let first = try #require(rest.firstIndex { $0 != 0 })
        #expect(first <= 256)
        #expect(Signal.firstDifference(rest[first..<(first + 3_880)], source[5_120...]) == nil)
        #expect(endings.noted == [.finished] && !player.isPlaying)
    }

    @Test("PLAY-1: buffers at another rate are resampled as one signal")
    func deliveredAtAnotherRate() throws {
        let stage = try StereoFixture()
        let queue = try AudioBufferQueue(channels: 1, sampleRate: 44_100)
        let sine = Signal.sine(frequency: 997, sampleRate: 44_100, frames: 22_050)
        let player = try AudioPlayer(.queue(queue), session: stage.session)
        for begin in stride(from: 0, to: sine.count, by: 735) {
            try queue.append(try AudioBuffer([Array(sine[begin..<(begin + 735)])], sampleRate: 44_100))
        }
        queue.finish()
        try player.play()
        let output = try stage.render(24_000)
        let whole = try AudioPlayer(
            .buffer(try AudioBuffer([sine], sampleRate: 44_100)), session: stage.session)
        try whole.play()
        #expect(Signal.firstDifference(try stage.render(24_000)[1], output[0]) == nil)
        #expect(Signal.largestStep(output[0][1_000..<23_000].map { $0 }) < 0.07)
    }
}
