import AudioRendering
import AudioSessions
import TestSupport
import Testing

@testable import AudioPlayback

/// What a recording contains where the server delivered no frames, and where a file ends.
@Suite struct RecordingGapTests {
    /// Returns the samples that a file must have: those of the times, and silence in the gaps.
    private func expected(_ times: Range<Int>, _ gaps: [AudioRecorder.Gap]) -> [Float] {
        var samples = times.map { RecorderFixture.sample($0) }
        for gap in gaps.sorted(by: { $0.firstFrame < $1.firstFrame }) {
            samples.insert(contentsOf: repeatElement(0, count: gap.frames), at: gap.firstFrame)
        }
        return samples
    }

    @Test("PLAY-2: frames that an xrun has cost are silence, in their place, and reported; so the file keeps the time")
    func xruns() throws {
        let stage = try RecorderFixture()
        stage.driver.reportInputGap(frames: 11)  // before the recording
        try stage.recorder.record()
        stage.driver.reportInputGap(frames: 22)  // before its first frame
        try stage.render(10_000)
        stage.driver.reportInputGap(frames: 480)
        try stage.render(20_000)
        stage.driver.reportInputGap(frames: 1)
        try stage.render(7_000)
        let recording = try #require(stage.recorder.stop())
        let gaps = [(10_000, 480), (30_480, 1)].map { first, frames in
            AudioRecorder.Gap(path: stage.recorder.path, firstFrame: first, frames: frames, cause: .xrun)
        }
        #expect(recording.gaps == gaps && recording.files.map(\.frames) == [37_481])
        let samples = try stage.samples(recording.files[0])
        #expect(Signal.firstDifference(samples.dropFirst(240), expected(0..<37_000, gaps).dropFirst(240)) == nil)
        #expect(stage.events.noted.filter { if case .gap = $0 { true } else { false } } == gaps.map { .gap($0) })
    }

    @Test("PLAY-2: a gap is in its place even if its length is known only several cycles later")
    func late() throws {
        let stage = try RecorderFixture()
        try stage.recorder.record()
        try stage.render(10_000)
        #expect(eventually { stage.recorder.currentFrames == 10_000 })
        stage.driver.reportPossibleInputGap()
        let time = stage.engineFrame
        // The clock goes on for several rounds of the writer, and the recording waits.
        let end = ContinuousClock.now + .milliseconds(250)
        var waited = 0
        #expect(
            try eventually {
                try stage.render(256)
                waited += 256
                return ContinuousClock.now >= end
            })
        #expect(stage.recorder.currentFrames == 10_000)
        stage.driver.reportInputGap(frames: 300, at: time)
        stage.driver.reportPossibleInputGap(false)
        try stage.render(1_000)
        let recording = try #require(stage.recorder.stop())
        let gap = AudioRecorder.Gap(path: stage.recorder.path, firstFrame: 10_000, frames: 300, cause: .xrun)
        #expect(recording.gaps == [gap])
        let samples = try stage.samples(recording.files[0])
        let whole = expected(0..<(11_000 + waited), [gap])
        #expect(Signal.firstDifference(samples.dropFirst(240), whole.dropFirst(240)) == nil)
    }

    @Test("PLAY-2: a recording ends although a gap is still being measured when the cycles cease")
    func ceasing() throws {
        let stage = try RecorderFixture()
        try stage.recorder.record()
        try stage.render(10_000)
        stage.driver.reportPossibleInputGap()
        try stage.render(2_000)
        #expect(stage.recorder.stop()?.files.map(\.frames) == [12_000])
    }

    @Test("PLAY-2: while paused, nothing is missing; a duration includes gaps; a long gap begins another file")
    func places() throws {
        let stage = try RecorderFixture()
        try stage.recorder.record(forDuration: 1)
        try stage.render(10_000)
        stage.recorder.pause()
        try stage.render(1_000)
        stage.driver.reportInputGap(frames: 100)
        try stage.render(1_000)
        try stage.recorder.record()
        try stage.render(10_000)
        stage.driver.reportInputGap(frames: 61 * 48_000)
        try stage.render(20_000)
        stage.driver.reportInputGap(frames: 5_000)
        try stage.render(20_000)
        #expect(stage.events.wait { $0.contains { if case .ended = $0 { true } else { false } } })
        let recording = try #require(stage.recorder.recording)
        #expect(recording.ending == .limit && recording.files.map(\.frames) == [20_000, 28_000])
        #expect(recording.gaps.map(\.firstFrame) == [20_000] && recording.gaps.map(\.frames) == [5_000])
    }

    @Test("PLAY-2: beyond the size that an AIFF can have, a recording continues in another one")
    func aiffSize() throws {
        let directory = try TemporaryDirectory()
        let path = AudioFilePath(directory.file("take.aiff"))
        let files = try RecordingFiles(path: path, channels: 2, sampleRate: 48_000, aiffLimit: 100_000)
        var work = RecordingWork(files: files, configuration: .init(channels: 2))
        work.apply(.record(limit: nil), at: 0, lostFrames: 0)
        let frames = 40_000
        for time in stride(from: 0, to: frames, by: 500) {
            let samples = (time..<(time + 500)).flatMap { [Float($0), Float(-$0)] }
            var blocks = [EngineInput.Block(time: UInt64(time), samples: samples)]
            _ = work.process(
                before: .max, read: { blocks.popLast().map { ($0, 0) } }, due: { _ in nil }, next: { nil })
        }
        work.apply(.finish(.stopped), at: UInt64(frames), lostFrames: 0)
        let recording = try #require(work.result)
        #expect(recording.ending == .stopped && recording.files.count == 4)
        #expect(recording.files.map(\.path.description).map { String($0.suffix(9)) }.last == "ke-4.aiff")
        let planes = try recording.files.map { try SoundFile.read($0.path.description).planes }
        #expect(planes.allSatisfy { $0[0].count < 14_000 })
        #expect(Signal.firstDifference(planes.flatMap { $0[0] }, (0..<frames).map { Float($0) }) == nil)
        #expect(Signal.firstDifference(planes.flatMap { $0[1] }, (0..<frames).map { Float(-$0) }) == nil)
    }
}
