import AudioPlayback
import AudioRendering
import AudioSessions
import Dispatch
import Foundation
import TestSupport
import Testing

/// What an `AudioRecorder` records, and where, frame by frame (PLAY-2).
@Suite struct AudioRecorderTests {
    @Test("PLAY-2: records every frame from the call on; a pause leaves out exactly what was heard in between")
    func recording() throws {
        let stage = try RecorderFixture(channels: 2, configuration: .init(channels: 2))
        let recorder = stage.recorder
        #expect(!recorder.isRecording && recorder.currentTime == 0 && recorder.stop() == nil)
        #expect(!FileManager.default.fileExists(atPath: recorder.path.description))
        try recorder.record()
        #expect(recorder.isRecording && stage.session.isActive)
        try stage.render(48_000)
        recorder.pause()
        #expect(!recorder.isRecording)
        try stage.render(10_000)
        try recorder.record()
        try stage.render(24_000)
        let recording = try #require(recorder.stop())
        #expect(recording.ending == .stopped && recording.gaps.isEmpty && recorder.recording == recording)
        let file = try #require(recording.files.first)
        #expect(recording.files.count == 1 && file.path == recorder.path && file.channels == 2)
        let times = [0..<48_000, 58_000..<82_000]
        for channel in 0..<2 {
            #expect(stage.difference(try stage.samples(file, channel: channel), times, channel: channel) == nil)
        }
        #expect(stage.events.wait { $0.count == 2 })
        #expect(stage.events.noted == [.started(path: recorder.path), .ended(recording)])
        #expect(stage.session.isActive, "the app deactivates its session")
    }

    @Test("PLAY-2: records other channels of the device, in every format")
    func formats() throws {
        for name in AudioRecorder.knownExtensions {
            let stage = try RecorderFixture(
                file: "take.\(name)", channels: 3, configuration: .init(channels: 2, firstChannel: 1))
            try stage.recorder.record()
            try stage.render(30_000)
            let file = try #require(stage.recorder.stop()?.files.first)
            #expect(file.frames == 30_000, "\(name)")
            let samples = try stage.samples(file, channel: 1)
            if name == "opus" {
                #expect(Signal.peak(samples) > 0)
            } else if name == "flac" {
                let worst = zip(samples[240...], 2_240...).map { abs($0 - RecorderFixture.sample($1)) }.max() ?? 1
                #expect(worst < 1.0 / 8_388_608)
            } else {
                #expect(stage.difference(samples, [2_000..<32_000]) == nil, "\(name)")
            }
        }
        for name in ["take.ogg", "take.mp3", "take", ".wav"] {
            #expect(throws: AudioFileError.unknownFormat(path: name, known: AudioRecorder.knownExtensions)) {
                _ = try AudioRecorder(path: name, session: try RecorderFixture().session)
            }
        }
    }

    @Test("PLAY-2: starts at a frame of the engine's clock, and ends after a duration without pauses")
    func timed() throws {
        let stage = try RecorderFixture()
        try stage.recorder.prepare()
        try stage.render(1_000)
        #expect(!stage.recorder.isRecording && stage.recorder.currentTime == 0)
        try stage.recorder.record(atFrame: 20_001, forDuration: 1)
        try stage.render(40_000)
        stage.recorder.pause()
        try stage.render(5_000)
        try stage.recorder.record()
        try stage.render(60_000)
        #expect(stage.events.wait { $0.count == 2 })
        let recording = try #require(stage.recorder.recording)
        #expect(recording.ending == .limit && !stage.recorder.isRecording && stage.recorder.stop() == nil)
        let samples = try stage.samples(try #require(recording.files.first))
        #expect(stage.difference(samples, [20_001..<41_000, 46_000..<73_001], fadesAt: []) == nil)

        // A frame that has passed: now. A pause cancels a start that is to come.
        try stage.recorder.record(atFrame: 10)
        let begin = stage.now
        try stage.render(2_000)
        let late = try #require(stage.recorder.stop()?.files.first)
        #expect(stage.difference(try stage.samples(late), [begin..<(begin + 2_000)]) == nil)
        try stage.recorder.record(atFrame: UInt64(stage.now + 1_000))
        stage.recorder.pause()
        try stage.render(3_000)
        #expect(stage.recorder.stop()?.files == [])
        for duration in [0, -1, .nan, .infinity] {
            #expect(throws: AudioSessionError.self) { try stage.recorder.record(forDuration: duration) }
        }
        #expect(stage.recorder.stop() == nil)
    }

    @Test("PLAY-2: starts with the first sound, and what came before it")
    func level() throws {
        let stage = try RecorderFixture(configuration: .init(preRoll: 0.1))
        try stage.recorder.record(fromLevel: 0.004)  // the time 67,109
        #expect(stage.recorder.isRecording)
        try stage.render(150_000)
        let file = try #require(stage.recorder.stop()?.files.first)
        let first = 67_109 - 4_800
        #expect(stage.difference(try stage.samples(file), [first..<150_000], fadesAt: []) == nil)

        // Silence: no file. Without a pre-roll: from the very frame.
        try stage.recorder.record(fromLevel: 0.004)
        try stage.render(100_000, silent: true)
        #expect(stage.recorder.stop()?.files == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.directory.path) == ["take.wav"])
        let exact = try RecorderFixture(configuration: .init(preRoll: 0))
        try exact.recorder.record(fromLevel: 0.004, forDuration: 0.5)
        try exact.render(100_000)
        #expect(exact.events.wait { $0.count == 2 })
        let part = try #require(exact.recorder.recording?.files.first)
        #expect(exact.difference(try exact.samples(part), [67_109..<91_109], fadesAt: []) == nil)
        for level: Float in [0, -1, 1.5, .nan] {
            #expect(throws: AudioSessionError.self) { try exact.recorder.record(fromLevel: level) }
        }
    }

    @Test("PLAY-2: another sample rate begins another file, at the very frame")
    func rates() throws {
        let stage = try RecorderFixture()
        try stage.recorder.record()
        try stage.render(24_000)
        stage.driver.setSampleRate(96_000)
        try stage.render(50_000)
        stage.driver.setSampleRate(96_000)  // nothing changes
        try stage.render(1_000)
        stage.driver.setSampleRate(44_100)
        stage.driver.setSampleRate(48_000)  // no frame at 44,100 Hz, no file
        try stage.render(10_000)
        #expect(abs(eventualTime(stage, frames: 85_000) - 24.0 / 48 - 51.0 / 96 - 10.0 / 48) < 1e-9)
        let recording = try #require(stage.recorder.stop())
        #expect(recording.files.map(\.sampleRate) == [48_000, 96_000, 48_000])
        #expect(
            recording.files.map { ($0.path.description as NSString).lastPathComponent } == [
                "take.wav", "take-2.wav", "take-3.wav",
            ])
        let times = [0..<24_000, 24_000..<75_000, 75_000..<85_000]
        for (file, range) in zip(recording.files, times) {
            #expect(
                stage.difference(try stage.samples(file), [range], fadesAt: range.lowerBound == 0 ? [0] : []) == nil)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: stage.directory.path)
        #expect(names.sorted() == ["take-2.wav", "take-3.wav", "take.wav"])
    }

    /// Returns the recorder's time once it has written that many frames.
    private func eventualTime(_ stage: RecorderFixture, frames: Int) -> Double {
        #expect(eventually { stage.recorder.currentFrames == frames })
        return stage.recorder.currentTime
    }

    @Test("PLAY-2: a duration is a time: it ends a recording that continues at another sample rate")
    func durationAcrossRates() throws {
        let stage = try RecorderFixture()
        try stage.recorder.record(forDuration: 1)
        try stage.render(24_000)
        stage.driver.setSampleRate(96_000)
        try stage.render(60_000)
        #expect(stage.events.wait { $0.count == 3 })
        let recording = try #require(stage.recorder.recording)
        #expect(recording.ending == .limit && recording.files.map(\.frames) == [24_000, 48_000])
    }

    @Test("PLAY-2: no file is replaced, and a deleted recording leaves its names free")
    func names() throws {
        let stage = try RecorderFixture()
        for file in ["take.wav", "take-3.wav"] {
            try Data("precious".utf8).write(to: URL(fileURLWithPath: stage.directory.file(file)))
        }
        for name in ["take-2.wav", "take-4.wav"] {
            try stage.recorder.record()
            try stage.render(1_000)
            let recording = try #require(stage.recorder.stop())
            #expect(recording.files.map(\.path.description) == [stage.directory.file(name)])
        }
        try stage.recorder.deleteRecording()
        try stage.recorder.deleteRecording()  // none is left
        #expect(stage.recorder.recording == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: stage.directory.path)
        #expect(names.sorted() == ["take-2.wav", "take-3.wav", "take.wav"])
        #expect(readText(stage.directory.file("take.wav")) == "precious")

        let latin1 = AudioFilePath(bytes: Array((stage.directory.path + "/.caf").utf8) + [0xE9] + Array(".b.wav".utf8))
        let recorder = try AudioRecorder(path: latin1, session: stage.session)
        for suffix in ["", "-2"] {
            try recorder.record()
            try stage.render(100)
            let path = try #require(recorder.stop()?.files.first?.path.description)
            #expect(path.hasSuffix(#"/.caf\xe9.b"# + suffix + ".wav"))
        }
    }

    @Test("PLAY-2: continues in another file when asked to, on the next frame")
    func nextFile() throws {
        let stage = try RecorderFixture()
        let recorder = stage.recorder
        recorder.beginNextFile()
        try recorder.record()
        recorder.beginNextFile()  // no effect: the file has no frame
        try stage.render(10_000)
        recorder.beginNextFile()
        try stage.render(5_000)
        recorder.pause()
        recorder.beginNextFile()
        try stage.render(1_000)
        recorder.beginNextFile()
        try recorder.record()
        try stage.render(2_000)
        let recording = try #require(recorder.stop())
        let times = [0..<10_000, 10_000..<15_000, 16_000..<18_000]
        #expect(recording.files.map(\.path.lastComponent.description) == ["take.wav", "take-2.wav", "take-3.wav"])
        for (file, part) in zip(recording.files, times) {
            let fades = part.lowerBound == 0 ? [0] : []
            #expect(stage.difference(try stage.samples(file), [part], fadesAt: fades) == nil)
        }
        recorder.beginNextFile()
        #expect(recorder.recording == recording && recording.gaps.isEmpty)
        // While it waits for a sound, the time before that is kept.
        let waiting = try RecorderFixture(configuration: .init(preRoll: 0.05))
        try waiting.recorder.record(fromLevel: RecorderFixture.sample(10_000))
        try waiting.render(9_000)
        #expect(eventually { waiting.recorder.levels.first.map { $0.peak > 0 } ?? false })
        waiting.recorder.beginNextFile()
        try waiting.render(3_000)
        let file = try #require(waiting.recorder.stop()?.files.first)
        #expect(waiting.difference(try waiting.samples(file), [7_600..<12_000], fadesAt: []) == nil)
    }

    @Test("PLAY-2: a file that cannot be created interrupts nobody and activates nothing")
    func refusals() throws {
        let stage = try RecorderFixture(rate: 44_100)
        let recorder = try AudioRecorder(path: stage.directory.file("none/take.wav"), session: stage.session)
        let missing = AudioFileError.notWritable(
            path: recorder.path.description, reason: "No such file or directory")
        #expect(throws: missing) { try recorder.record() }
        let opus = try AudioRecorder(path: stage.directory.file("take.opus"), session: stage.session)
        let rate = AudioFileError.notWritable(
            path: opus.path.description,
            reason: "Opus only supports sample rates of 8000, 12000, 16000, 24000, and 48000")
        #expect(throws: rate) { try opus.record() }
        #expect(!stage.session.isActive && !recorder.isRecording && !opus.isRecording)
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.directory.path) == [])

        // A category without input, and channels that the engine does not have.
        try stage.session.setCategory(.playback)
        #expect(throws: AudioSessionError.self) { try stage.recorder.record() }
        #expect(!stage.session.isActive && stage.recorder.stop() == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.directory.path) == [])
        for configuration in [
            AudioRecorder.Configuration(channels: 0), .init(channels: 9), .init(firstChannel: -1),
            .init(maximumBytes: 0), .init(preRoll: -1), .init(preRoll: .nan), .init(preRoll: 61),
        ] {
            #expect(throws: AudioSessionError.self) {
                _ = try AudioRecorder(path: "take.wav", session: stage.session, configuration: configuration)
            }
        }
    }

    @Test("PLAY-2: the size of the files never exceeds the limit, and comes close to it")
    func size() throws {
        for name in AudioRecorder.knownExtensions {
            let stage = try RecorderFixture(
                file: "take.\(name)", channels: 2, configuration: .init(channels: 2, maximumBytes: 400_000))
            try stage.recorder.record()
            for _ in 0..<400 where stage.recorder.isRecording { try stage.renderNoise(9_600) }
            #expect(stage.events.wait { $0.last.map { if case .ended = $0 { true } else { false } } ?? false })
            let recording = try #require(stage.recorder.recording)
            #expect(recording.ending == .limit, "\(name)")
            let file = try #require(recording.files.first)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path.description)
            let bytes = try #require(attributes[.size] as? Int)
            let reserve = ["flac", "opus"].contains(name) ? 65_536 + 12_288 * 8 : 4_096
            #expect(bytes <= 400_000 && bytes >= 400_000 - reserve, "\(name): \(bytes)")
            #expect(try SoundFile.read(file.path.description).planes[0].count == file.frames)
        }
    }

    /// Returns a recorder that has written 1,000 frames, and writes no more until the semaphore is
    /// signaled: the handler runs on the thread that writes. It waits once for each file.
    private func stalled() throws -> (RecorderFixture, disk: DispatchSemaphore) {
        let stage = try RecorderFixture()
        let disk = DispatchSemaphore(value: 0)
        stage.recorder.onEvent { if case .started = $0 { disk.wait() } }
        try stage.recorder.record()
        try stage.render(1_000)
        #expect(stage.events.wait { $0.count == 1 })
        return (stage, disk)
    }

    @Test("PLAY-2: frames that the ring buffer had no room for are silence, in their place, and reported")
    func gaps() throws {
        let (stage, disk) = try stalled()
        for _ in 0..<7 { try stage.render(100_000) }
        disk.signal()
        #expect(eventually { stage.recorder.currentFrames > 500_000 })
        try stage.render(1_000)
        let recording = try #require(stage.recorder.stop())
        let samples = try stage.samples(try #require(recording.files.first))
        // Several gaps: a short cycle may still find room when longer ones do not.
        let gaps = recording.gaps
        #expect(gaps.allSatisfy { $0.cause == .disk && $0.path == stage.recorder.path })
        #expect(stage.events.noted.filter { if case .gap = $0 { true } else { false } } == gaps.map { .gap($0) })
        #expect(try #require(gaps.first).firstFrame >= 8 * 48_000 && gaps.reduce(0) { $0 + $1.frames } > 100_000)
        var expected = (0..<702_000).map(RecorderFixture.sample)
        for gap in gaps {
            for frame in gap.firstFrame..<(gap.firstFrame + gap.frames) { expected[frame] = 0 }
        }
        #expect(Signal.firstDifference(samples.dropFirst(240), expected.dropFirst(240)) == nil)
    }

    @Test("PLAY-2: calls take effect at their frames, however late the disk is")
    func lateDisk() throws {
        let (stage, disk) = try stalled()
        var times = [0..<1_000]
        for index in 0..<5 {
            try stage.render(500)
            stage.recorder.pause()
            try stage.render(333)
            if index == 2 { stage.driver.setSampleRate(96_000) }
            try stage.recorder.record()
            times.append(stage.now..<(stage.now + 777))
            try stage.render(777)
        }
        stage.recorder.pause()
        try stage.render(1_000)
        disk.signal()
        #expect(eventually { stage.recorder.currentFrames > 0 && stage.events.noted.count == 2 })
        disk.signal()
        let recording = try #require(stage.recorder.stop())
        // 500 more frames after the first start, and after each of the following ones.
        let runs = times.dropLast().map { $0.lowerBound..<($0.upperBound + 500) } + times.suffix(1)
        #expect(recording.files.map(\.sampleRate) == [48_000, 96_000])
        #expect(stage.difference(try stage.samples(recording.files[0]), Array(runs[..<3])) == nil)
        #expect(stage.difference(try stage.samples(recording.files[1]), Array(runs[3...]), fadesAt: []) == nil)
    }

    @Test("PLAY-2: the levels are those of the input, also while paused")
    func levels() throws {
        let stage = try RecorderFixture(channels: 2, configuration: .init(channels: 2))
        #expect(stage.recorder.levels.isEmpty)
        try stage.recorder.prepare()
        func play(_ a: Float, _ b: Float) throws {
            _ = try stage.driver.render(
                frames: 48_000, inputs: [a, b].map { [Float](repeating: $0, count: 48_000) })
        }
        try play(0.5, -0.25)
        #expect(eventually { stage.recorder.levels.map(\.rms) == [0.5, 0.25] })
        #expect(stage.recorder.levels.map(\.peak) == [0.5, 0.25])
        try play(1, 0)
        #expect(eventually { stage.recorder.levels.map(\.clippedSamples) == [48_000, 0] })
        #expect(stage.recorder.levels.map(\.peak) == [1, 0])
        #expect(stage.recorder.levels.map(\.greatestPeak) == [1, 0.25])
        stage.recorder.stop()
        #expect(stage.recorder.levels.isEmpty)
    }

    @Test("PLAY-2: the monitor plays the input in the session, from its start to its end")
    func monitor() throws {
        let stage = try RecorderFixture()
        func heard() throws -> Float {
            let input = [[Float](repeating: 0.25, count: 2_400)]
            _ = try stage.driver.render(frames: 2_400, inputs: input)
            return try #require(try stage.driver.render(frames: 2_400, inputs: input).first?.last)
        }
        stage.recorder.monitorGain = 0.5
        try stage.recorder.prepare()
        #expect(try heard() == 0.125)
        try stage.recorder.record()
        #expect(try heard() == 0.125)
        stage.recorder.monitorGain = 1
        #expect(try heard() == 0.25)
        for ignored: Float in [-1, .nan, .infinity] { stage.recorder.monitorGain = ignored }
        #expect(stage.recorder.monitorGain == 1)
        stage.recorder.monitorGain = nil
        #expect(try heard() == 0)
        stage.recorder.monitorGain = 1
        stage.recorder.stop()
        #expect(try heard() == 0)
    }

    @Test("PLAY-2: events arrive as an asynchronous sequence, which ends with the recorder")
    func sequence() async throws {
        let stage = try RecorderFixture()
        var recorder: AudioRecorder? = try AudioRecorder(
            path: stage.directory.file("other.wav"), session: stage.session)
        let events = try #require(recorder?.events)
        try recorder?.record()
        try stage.render(1_000)
        let recording = try #require(recorder?.stop())
        var received: [AudioRecorder.Event] = []
        for await event in events {
            received.append(event)
            if case .ended = event { recorder = nil }
        }
        #expect(received == [.started(path: recording.files[0].path), .ended(recording)])
    }

    @Test("PLAY-2: a recorder that is released completes its file")
    func released() throws {
        let stage = try RecorderFixture()
        let path = stage.directory.file("other.wav")
        let ended = EventLog<AudioRecorder.Event>()
        do {
            let recorder = try AudioRecorder(path: path, session: stage.session)
            recorder.onEvent { ended.note($0) }
            try recorder.record()
            try stage.render(5_000)
        }
        #expect(eventually { (try? SoundFile.read(path).planes[0].count) == 5_000 })
    }
}
