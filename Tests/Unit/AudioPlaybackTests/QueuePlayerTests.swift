import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

/// The queue: joins, order, repetition, and what happens to it (PLAY-1).
@Suite struct QueuePlayerTests {
    /// Renders until the queue has ended; at most `limit` frames.
    private func renderAll(_ stage: StereoFixture, _ queue: AudioQueuePlayer, limit: Int = 2_000_000) throws
        -> [[Float]]
    {
        var output: [[Float]] = [[], []]
        while queue.isPlaying, output[0].count < limit {
            let block = try stage.render(4_096)
            for channel in 0..<2 { output[channel] += block[channel] }
        }
        return output
    }

    /// The lengths of 20 files: some shorter than a period, one of a single frame.
    private func lengths() -> [Int] {
        var dice = Dice()
        return [1, 7] + (0..<18).map { _ in Int.random(in: 100...9_000, using: &dice) }
    }

    @Test("PLAY-1: 20 files of one recording join without a wrong frame", arguments: ["wav", "flac"])
    func joins(format: String) throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let lengths = lengths()
        let whole = Signal.counting(frames: lengths.reduce(0, +))
        var begin = 0
        for (number, length) in lengths.enumerated() {
            let part = Array(whole[begin..<(begin + length)])
            // Every third one is mono, which sounds the same on two channels.
            queue.append(try stage.file("\(number).\(format)", number % 3 == 2 ? [part] : [part, part]))
            begin += length
        }
        let started = EventLog<Int>()
        queue.onEvent { event in if case .itemStarted(let item) = event { started.note(item.id) } }
        try queue.play()
        let output = try renderAll(stage, queue)
        for channel in output {
            #expect(Signal.firstDifference(channel[..<whole.count], whole) == nil)
            #expect(channel[whole.count...].allSatisfy { $0 == 0 })
        }
        #expect(started.noted == queue.items.map(\.id))
        #expect(queue.underrunFrames == 0)
    }

    @Test("PLAY-1: items repeat without a gap, and a queue that was not played yet can start part-way")
    func repetitions() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let count = Signal.counting(frames: 9_000)
        let first = queue.append(try stage.file("a.wav", [count, count]), repetitions: 2)
        let second = queue.append(try stage.file("b.wav", [count, count]))
        let events = EventLog<String>()
        queue.onEvent { event in
            switch event {
            case .itemStarted(let item): events.note(item == first ? "a" : "b")
            case .itemRepeated(let item): events.note(item == first ? "a again" : "b again")
            case .itemEnded(let item, .finished): events.note(item == first ? "a ended" : "b ended")
            default: break
            }
        }
        queue.currentTime = 0.125
        #expect(queue.currentTime == 0.125 && queue.duration == 0.1875 && queue.currentItem == first)
        #expect(!queue.isPlaying && events.noted.isEmpty)
        try queue.play()
        let output = try renderAll(stage, queue)
        let whole = Array(count[6_000...]) + count + count + count
        #expect(Signal.firstDifference(output[0][..<whole.count], whole) == nil)
        #expect(output[1][whole.count...].allSatisfy { $0 == 0 })
        #expect(events.noted == ["a", "a again", "a again", "a ended", "b", "b ended"])
        #expect(queue.currentItem == first && second.repetitions == 0)
    }

    @Test("PLAY-1: an item without frames does not repeat, and the items behind it are played")
    func emptyRepetition() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let count = Signal.counting(frames: 4_800)
        queue.append(PlaybackSource(name: "empty") { EmptyReader() }, repetitions: 5)
        queue.append(PlaybackSource(name: "endless") { EmptyReader() }, repetitions: -1)
        queue.append(try stage.file("a.wav", [count, count]))
        try queue.play()
        let output = try renderAll(stage, queue)
        let first = try #require(output[0].firstIndex { $0 != 0 })
        #expect(Signal.firstDifference(output[0][first..<(first + 4_800)], count) == nil)
    }

    /// A reader that declares frames and has none.
    private final class EmptyReader: AudioReader {
        let channels = 2
        let sampleRate = 48_000
        let frameCount: Int64 = 100
        func read(into frames: inout [Float], maximumFrames: Int) -> Int { 0 }
        func seek(toFrame frame: Int64) -> Int64 { frame }
    }

    @Test("PLAY-1: an item that repeats forever ends by next(), and an edit behind it does not restart the stream")
    func endless() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let count = Signal.counting(frames: 4_800)
        queue.append(try stage.file("a.wav", [count, count]), repetitions: -1)
        try queue.play()
        let output = try stage.render(48_000)
        for pass in 0..<10 {
            #expect(Signal.firstDifference(output[0][(pass * 4_800)..<((pass + 1) * 4_800)], count) == nil)
        }
        let second = queue.append(try stage.file("b.wav", [count, count]))
        #expect(Signal.firstDifference(try stage.render(4_800)[0], count) == nil, "no crossfade")
        queue.next()
        #expect(queue.currentItem == second)
        queue.currentTime = 100
        #expect(!queue.isPlaying)
    }

    @Test("PLAY-1: files of one recording at another rate join as if they were one file, bit for bit")
    func joinsAtAnotherRate() throws {
        let stage = try StereoFixture()
        let (queue, single) = (try stage.queue(), try stage.queue())
        let sine = Signal.sine(frequency: 997, sampleRate: 44_100, frames: 60_000)
        var begin = 0
        for (number, length) in [20_000, 13, 1, 19_986, 20_000].enumerated() {
            let part = Array(sine[begin..<(begin + length)])
            queue.append(try stage.file("\(number).wav", [part, part], rate: 44_100))
            begin += length
        }
        single.append(try stage.file("whole.wav", [sine, sine], rate: 44_100))
        try queue.play()
        let parts = try renderAll(stage, queue)
        try single.play()
        let whole = try renderAll(stage, single)
        #expect(Signal.firstDifference(parts[0], whole[0]) == nil)
        #expect(Signal.largestStep(parts[1][500..<64_000].map { $0 }) < 0.066)
    }

    @Test("PLAY-1: files of different rates and channels follow one another without a gap or an overlap")
    func mixed() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        var expected = 0
        for (number, (rate, channels)) in [(44_100, 2), (48_000, 1), (96_000, 6), (8_000, 2), (48_000, 2)].enumerated()
        {
            let level = [Float](repeating: 0.5, count: rate / 4)
            queue.append(try stage.file("\(number).wav", Array(repeating: level, count: channels), rate: rate))
            expected += 12_000
        }
        try queue.play()
        let output = try renderAll(stage, queue)[0]
        let end = try #require(output.lastIndex { $0 != 0 }) + 1
        #expect(abs(end - expected) <= 3)
        // The resamplers ring at the ends of a constant signal, as they must; nowhere is a gap.
        for join in 1..<5 {
            #expect(output[(join * 12_000 - 2)...(join * 12_000 + 2)].allSatisfy { $0 > 0.05 }, "\(join)")
        }
    }

    @Test("PLAY-1: at another tempo the items follow one another, and the queue lasts as long as it says")
    func rate() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        for (number, rate) in [48_000, 48_000, 44_100, 96_000].enumerated() {
            let sine = Signal.sine(frequency: 330, sampleRate: rate, frames: rate)
            queue.append(try stage.file("\(number).wav", [sine], rate: rate))
        }
        let started = EventLog<Double>()
        queue.onEvent { [session = stage.session] event in
            guard case .itemStarted = event else { return }
            started.note(Double((try? session.engine.currentFrame) ?? 0))
        }
        queue.rate = 2
        try queue.play()
        let output = try renderAll(stage, queue)[0]
        let end = try #require(output.lastIndex { abs($0) > 0.001 })
        #expect(abs(end - 96_000) < 1_500)
        #expect(zip(started.noted, started.noted.dropFirst()).allSatisfy { abs($1 - $0 - 24_000) <= 512 })
    }

    private func level(_ stage: StereoFixture, _ name: String, _ level: Float, frames: Int = 5_000) throws
        -> PlaybackSource
    {
        try stage.file(name, [[Float](repeating: level, count: frames)])
    }

    /// Returns the levels of the parts of an output, each as often as there are `frames` frames.
    private func parts(_ output: [Float], frames: Int = 5_000) -> [Float] {
        stride(from: frames / 2, to: output.count, by: frames).map { output[$0] }.filter { $0 != 0 }
    }

    @Test("PLAY-1: a file that is gone or damaged is reported and skipped; the rest is played without a gap")
    func damaged() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let log = EventLog<AudioQueuePlayer.Event>()
        queue.onEvent { log.note($0) }
        let gone = queue.append(.file("/nowhere/a.wav"))
        let first = queue.append(try level(stage, "1.wav", 0.125))
        let alsoGone = queue.append(.file("/nowhere/b.wav"))
        try WAV.header(channels: 1, sampleRate: 48_000, dataBytes: 10_000, promised: 400_000)
            .write(to: URL(fileURLWithPath: stage.directory.file("cut.wav")))
        let cut = queue.append(.file(stage.directory.file("cut.wav")))
        let last = queue.append(try level(stage, "2.wav", 0.25))
        let lost = queue.append(.file("/nowhere/c.wav"))
        try queue.play()
        #expect(queue.currentItem == first)
        let output = try renderAll(stage, queue)[0]
        #expect(output[..<5_000].allSatisfy { $0 == 0.125 } && output[10_000..<15_000].allSatisfy { $0 == 0.25 })
        func reason(_ name: String) -> AudioQueuePlayer.ItemEnding {
            .failed(AudioFileError.notFound(path: "/nowhere/\(name).wav").description)
        }
        let truncated = AudioFileError.truncated(
            path: stage.directory.file("cut.wav"), frames: 5_000, expected: 200_000)
        #expect(
            log.noted == [
                .itemEnded(gone, reason("a")), .itemStarted(first), .itemEnded(first, .finished),
                .itemEnded(alsoGone, reason("b")), .itemStarted(cut), .itemEnded(cut, .damaged(truncated)),
                .itemStarted(last), .itemEnded(last, .finished), .itemEnded(lost, reason("c")), .ended(.finished),
            ])
        // Nothing can be played: the first item's error, and the session stays inactive.
        try stage.session.setActive(false)
        for item in [first, cut, last] { queue.remove(item) }
        #expect(throws: AudioFileError.notFound(path: "/nowhere/a.wav")) { try queue.play() }
        #expect(!queue.isPlaying && !stage.session.isActive)
        queue.removeAll()
        let error = #expect(throws: AudioSessionError.self) { try queue.play() }
        #expect(error?.errorCode == .badParam && queue.currentItem == nil)
    }

    @Test("PLAY-1: one item or all items repeat, and next() leaves the one")
    func repetition() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        for (number, value) in [Float(0.125), 0.25, 0.5].enumerated() {
            queue.append(try level(stage, "\(number).wav", value))
        }
        queue.repeatMode = .all
        try queue.play()
        #expect(parts(try stage.render(35_000)[0]) == [0.125, 0.25, 0.5, 0.125, 0.25, 0.5, 0.125])
        queue.repeatMode = .one
        #expect(queue.currentItem == queue.items[1])
        #expect(parts(try stage.render(15_000)[0]) == [0.25, 0.25, 0.25])
        queue.next()
        #expect(queue.currentItem == queue.items[2])
        #expect(parts(try stage.render(10_000)[0]) == [0.5, 0.5])
        queue.repeatMode = .off
        _ = try stage.render(10_000)
        #expect(!queue.isPlaying && queue.currentItem == queue.items[0] && queue.currentTime == 0)
    }

    @Test("PLAY-1: shuffled, every item is played once in each round, in another order, and none twice in a row")
    func shuffle() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let values = (1...8).map { Float($0) / 16 }
        for (number, value) in values.enumerated() { queue.append(try level(stage, "\(number).wav", value)) }
        queue.repeatMode = .all
        queue.isShuffled = true
        #expect(queue.items.count == 8 && Set(queue.playOrder.map(\.id)) == Set(queue.items.map(\.id)))
        try queue.play()
        let heard = parts(try stage.render(5_000 * 24)[0])
        let rounds = stride(from: 0, to: 24, by: 8).map { Array(heard[$0..<($0 + 8)]) }
        #expect(rounds.allSatisfy { $0.sorted() == values })
        #expect(Set(rounds).count == 3 && !rounds.contains(values))
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 != $1 })
        // Back in order, from the current item on.
        queue.isShuffled = false
        queue.repeatMode = .off
        let current = try #require(queue.currentItem.flatMap { queue.items.firstIndex(of: $0) })
        #expect(queue.playOrder == queue.items)
        let rest = parts(try renderAll(stage, queue)[0])
        #expect(rest.suffix(7 - current) == values.suffix(7 - current))
    }

    @Test("PLAY-1: next, previous, play(item) and seeks, playing, paused and stopped; each is reported once")
    func skipping() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let log = EventLog<AudioQueuePlayer.Event>()
        queue.onEvent { log.note($0) }
        let items = try [Float(0.125), 0.25, 0.5].enumerated().map { number, value in
            queue.append(try level(stage, "\(number).wav", value, frames: 300_000))
        }
        func now() throws -> Float { try stage.render(1_000)[0][999] }
        #expect(queue.duration == nil)
        try queue.play()
        #expect(try now() == 0.125 && queue.duration == 6.25 && queue.currentItem == items[0])
        queue.next()
        #expect(try now() == 0.25 && queue.currentItem == items[1])
        queue.previous()
        #expect(try now() == 0.125)
        queue.currentTime = 4
        #expect(try now() == 0.125 && abs(queue.currentTime - 4 - 1_000.0 / 48_000) < 0.001)
        queue.previous()
        #expect(try now() == 0.125 && queue.currentTime < 0.1)
        queue.previous()
        #expect(queue.currentItem == items[0], "the first one has no previous one")
        try queue.play(items[2])
        #expect(try now() == 0.5)
        queue.pause()
        _ = try stage.render(1_000)
        queue.previous()
        #expect(queue.isPaused && queue.currentItem == items[1])
        #expect(try stage.render(1_000)[0].allSatisfy { $0 == 0 })
        try queue.play()
        #expect(try now() == 0.25)
        queue.currentTime = 100
        #expect(try now() == 0.5 && queue.currentItem == items[2])
        queue.stop()
        queue.currentTime = 1
        #expect(queue.currentItem == items[2])
        queue.next()
        #expect(queue.currentItem == items[0] && !queue.isPlaying)
        let expected: [AudioQueuePlayer.Event] = [
            .itemStarted(items[0]), .itemEnded(items[0], .skipped), .itemStarted(items[1]),
            .itemEnded(items[1], .skipped), .itemStarted(items[0]), .itemEnded(items[0], .skipped),
            .itemStarted(items[2]), .itemEnded(items[2], .skipped), .itemStarted(items[1]),
            .itemEnded(items[1], .skipped), .itemStarted(items[2]),
        ]
        #expect(Array(log.noted.prefix(expected.count)) == expected)
        #expect(log.noted.count == expected.count, "moves of a stopped queue are not reported")
        try queue.play(items[2])
        queue.next()
        #expect(!queue.isPlaying)
        #expect(
            Array(log.noted.dropFirst(expected.count)) == [
                .itemEnded(items[2], .skipped), .itemStarted(items[2]), .itemEnded(items[2], .skipped),
                .ended(.finished),
            ])
        queue.remove(items[2])
        queue.next()
        #expect(log.noted.count == expected.count + 4)
        let stranger = AudioQueuePlayer.Item(.file("x.wav"))
        #expect(throws: AudioSessionError.self) { try queue.play(stranger) }
    }

    @Test("PLAY-1: what was read ahead can still be changed: the items after the current one are those of the queue")
    func editing() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let first = queue.append(try level(stage, "1.wav", 0.125, frames: 20_000))
        let second = queue.append(try level(stage, "2.wav", 0.25, frames: 20_000))
        try queue.play()
        #expect(try stage.render(10_000)[0].allSatisfy { $0 == 0.125 })
        // Both have been read to their ends.
        queue.remove(second)
        let third = queue.insertNext(try level(stage, "3.wav", 0.5, frames: 20_000))
        let output = try stage.render(20_000)[0]
        #expect(output[..<9_000].allSatisfy { abs($0 - 0.125) < 1e-6 }, "the crossfade is inaudible")
        #expect(output.last == 0.5 && !output.contains(0.25))
        #expect(queue.currentItem == third && queue.items == [first, third])
        let fourth = queue.append(try level(stage, "4.wav", 0.75, frames: 5_000))
        queue.move(fourth, to: 0)
        #expect(queue.items == [fourth, first, third])
        queue.remove(third)
        #expect(!queue.isPlaying, "it was the last one, and the queue does not repeat")
        #expect(try stage.render(2_000)[0].last == 0)
        try queue.play()
        #expect(try stage.render(2_000)[0].last == 0.75)
        queue.remove(fourth)
        #expect(try stage.render(2_000)[0].last == 0.125)
        queue.removeAll()
        #expect(queue.items.isEmpty && !queue.isPlaying)
    }

    @Test("INT-9: a call pauses the queue within a period and the fade; it resumes at the very next frame")
    func interruption() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let source = Signal.counting(frames: 100_000)
        let half = Array(source[..<11_000])
        queue.append(try stage.file("1.wav", [half, half]))
        let rest = Array(source[11_000...])
        queue.append(try stage.file("2.wav", [rest, rest]))
        let log = EventLog<AudioQueuePlayer.Event>()
        queue.onEvent { log.note($0) }
        try queue.play()
        _ = try stage.render(10_240)
        try stage.host.ring()
        #expect(try stage.render(5_000)[0][(256 + StereoFixture.fade)...].allSatisfy { $0 == 0 })
        #expect(!queue.isPlaying && queue.isPaused)
        try stage.host.declineCall()
        let after = try stage.render(5_000)[0]
        let first = try #require(after.firstIndex { $0 != 0 }) + StereoFixture.fade
        let begin = 10_240 + 2 * StereoFixture.fade
        #expect(Signal.firstDifference(after[first...], source[begin...].prefix(after.count - first)) == nil)
        #expect(log.noted.contains(.pausedBySession) && log.noted.contains(.resumed))
        // ACT-7: deactivation stops it at its position.
        try stage.session.setActive(false)
        #expect(!queue.isPlaying && !queue.isPaused && queue.currentItem == queue.items[1])
    }

    @Test("HW-3: the queue keeps its item and position when the server's rate changes, also while paused")
    func otherRate() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let source = Signal.counting(frames: 60_000)
        queue.append(try stage.file("1.wav", [source, source]))
        let second = queue.append(try stage.file("2.wav", [source, source]))
        try queue.play()
        _ = try stage.render(80_000)
        queue.pause()
        _ = try stage.render(1_000)
        let place = queue.currentTime
        stage.driver.setSampleRate(96_000)
        stage.host.settle()
        try queue.play()
        let output = try stage.render(9_600)[0]
        #expect(queue.currentItem == second)
        #expect(abs(queue.currentTime - place - 0.1) < 0.001)
        #expect(abs(Double(output[9_599]) * 1_048_576 - (place + 0.1) * 48_000) < 50)
    }

    @Test(
        "PLAY-1: a queue that is released ends its events; a handler that skips sees them in their order",
        .timeLimit(.minutes(1)))
    func released() async throws {
        let stage = try StereoFixture()
        var queue: AudioQueuePlayer? = try stage.queue()
        let events = try #require(queue?.events)
        let items = try (0..<3).map { number in
            try #require(queue?.append(try level(stage, "\(number).wav", 0.25, frames: 3_000)))
        }
        let log = EventLog<AudioQueuePlayer.Event>()
        queue?.onEvent { [weak queue] event in
            if event == .itemEnded(items[0], .finished) { queue?.next() }
            log.note(event)
        }
        try queue?.play()
        _ = try stage.render(9_000)
        let expected: [AudioQueuePlayer.Event] = [
            .itemStarted(items[0]), .itemEnded(items[0], .finished), .itemStarted(items[1]),
            .itemEnded(items[1], .skipped), .itemStarted(items[2]), .itemEnded(items[2], .finished), .ended(.finished),
        ]
        #expect(log.noted == expected)
        queue = nil
        var seen: [AudioQueuePlayer.Event] = []
        for await event in events { seen.append(event) }
        #expect(seen == expected)
    }

    @Test("PLAY-1: a queue that is stopped with a fade across a join keeps its item and position")
    func stoppedAtAJoin() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let items = try [Float(0.125), 0.25, 0.5].enumerated().map { number, value in
            queue.append(try level(stage, "\(number).wav", value, frames: 10_000))
        }
        let log = EventLog<AudioQueuePlayer.Event>()
        queue.onEvent { log.note($0) }
        try queue.play()
        _ = try stage.render(19_000)
        queue.stop(fadeDuration: 0.1)
        let time = queue.currentTime
        _ = try stage.render(10_000)
        #expect(queue.currentItem == items[1] && queue.currentTime == time && log.noted.count == 3)
        try queue.play()
        #expect(try stage.render(500)[0][499] == 0.25)
    }

    @Test("PLAY-1: items appended in the last second are played; many at once start the stream again once")
    func appending() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        queue.append(try level(stage, "0.wav", 0.125, frames: 3_000))
        try queue.play()
        _ = try stage.render(1_000)
        let opened = EventLog<Int>()
        let path = stage.directory.file("0.wav")
        let sources = (0..<300).map { number in
            PlaybackSource(name: "\(number)") {
                opened.note(number)
                return try AudioFile(path: path)
            }
        }
        for source in sources.prefix(20) { queue.append(source) }
        let before = opened.noted.count
        queue.append(contentsOf: sources.dropFirst(20))
        #expect(queue.isPlaying && queue.currentItem == queue.items[0] && queue.items.count == 301)
        #expect(opened.noted.count - before <= 20, "no more than is read ahead")
        let output = try renderAll(stage, queue)[0]
        #expect(output[..<(300 * 3_000)].allSatisfy { abs($0 - 0.125) < 1e-6 })
        #expect(!queue.isPlaying)
    }

    @Test("PLAY-1: a queue that repeats nothing but empty or missing items ends instead of waiting forever")
    func nothingToPlay() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let empty = { try AudioBufferQueue(channels: 1, sampleRate: 48_000) }
        for _ in 0..<3 {
            let buffers = try empty()
            buffers.finish()
            queue.append(.queue(buffers))
        }
        queue.append(.file("/nowhere/a.wav"))
        queue.repeatMode = .all
        try queue.play()
        _ = try stage.render(2_000)
        #expect(!queue.isPlaying)
    }

    @Test("PLAY-1: calls from many threads leave the queue whole")
    func threads() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let sources = try (0..<4).map { try level(stage, "\($0).wav", 0.25, frames: 3_000) }
        for source in sources { queue.append(source) }
        queue.repeatMode = .all
        DispatchQueue.concurrentPerform(iterations: 300) { turn in
            switch turn % 10 {
            case 0: try? queue.play()
            case 1: queue.next()
            case 2: queue.previous()
            case 3: queue.insertNext(sources[turn % 4])
            case 4: if let item = queue.items.last { queue.remove(item) }
            case 5: queue.isShuffled.toggle()
            case 6: queue.currentTime = Double(turn % 3) / 50
            case 7: queue.pause()
            case 8: if let item = queue.items.first { queue.move(item, to: 2) }
            default: _ = try? stage.driver.render(frames: 512)
            }
        }
        queue.removeAll()
        _ = try stage.render(2_000)
        #expect(try stage.render(1_000)[0].allSatisfy { $0 == 0 })
        let item = queue.append(sources[0])
        queue.isShuffled = false
        try queue.play()
        #expect(try stage.render(1_000)[0].allSatisfy { $0 == 0.25 } && queue.currentItem == item)
    }
}
