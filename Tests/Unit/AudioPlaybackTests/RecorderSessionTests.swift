import AudioPlayback
import AudioRendering
import AudioSessions
import Dispatch
import Foundation
import SessionArbiter
import SessionPolicy
import TestRandom
import TestSupport
import Testing

/// What the session does to an `AudioRecorder`.
@Suite struct RecorderSessionTests {
    private func isPause(_ event: AudioRecorder.Event) -> Bool { event == .pausedBySession }

    @Test("INT-9: an interruption pauses a recording; it does not resume by itself, and continues in the same file")
    func interruption() throws {
        let stage = try RecorderFixture()
        let recorder = stage.recorder
        try recorder.record()
        try stage.render(10_000)
        try stage.host.ring()
        try stage.render(10_000)
        #expect(!recorder.isRecording && !stage.session.isActive)
        #expect(stage.events.wait { $0.contains(where: isPause) })
        try stage.host.declineCall()
        try stage.render(10_000)
        #expect(!recorder.isRecording && !stage.session.isActive)
        try recorder.record()
        #expect(recorder.isRecording && stage.session.isActive)
        try stage.render(10_000)
        let recording = try #require(recorder.stop())
        let samples = try stage.samples(try #require(recording.files.first))
        #expect(recording.files.count == 1 && recording.gaps.isEmpty)
        // The interruption fades the input out, and what follows starts with a fade of its own.
        let kept = samples.count - 10_000
        #expect((10_000..<12_000).contains(kept))
        #expect(stage.difference(Array(samples[..<10_000]), [0..<10_000]) == nil)
        #expect(stage.difference(Array(samples[kept...]), [30_000..<40_000]) == nil)
        #expect(samples[10_000..<kept].allSatisfy { abs($0) <= RecorderFixture.sample(20_000) })
    }

    @Test("INT-9: the app may let a recording resume: always, or if the system recommends it")
    func policies() throws {
        for (policy, resumes) in [(AudioRecorder.ResumePolicy.ifRecommended, true), (.always, true), (.never, false)] {
            let stage = try RecorderFixture()
            stage.recorder.resumePolicy = policy
            try stage.recorder.record()
            try stage.render(1_000)
            try stage.host.ring()
            try stage.render(1_000)
            try stage.host.declineCall()
            try stage.render(10_000)
            #expect(stage.recorder.isRecording == resumes, "\(policy)")
            let recording = try #require(stage.recorder.stop())
            #expect(stage.events.noted.contains(.resumed) == resumes)
            #expect((try #require(recording.files.first).frames > 9_000) == resumes)
        }
        // The user's pause during the interruption counts (INT-7).
        let stage = try RecorderFixture()
        stage.recorder.resumePolicy = .always
        try stage.recorder.record()
        try stage.render(1_000)
        try stage.host.ring()
        try stage.render(1_000)
        stage.recorder.pause()
        try stage.host.declineCall()
        try stage.render(1_000)
        #expect(!stage.recorder.isRecording)
        #expect(stage.recorder.stop() != nil)
    }

    @Test("INT-9: a recording that waits for a sound waits again after the interruption")
    func armed() throws {
        let stage = try RecorderFixture(configuration: .init(preRoll: 0))
        stage.recorder.resumePolicy = .always
        try stage.recorder.record(fromLevel: 0.004)
        try stage.render(1_000)
        try stage.host.ring()
        try stage.render(1_000)
        try stage.host.declineCall()
        try stage.render(98_000)
        #expect(stage.recorder.isRecording)
        let file = try #require(stage.recorder.stop()?.files.first)
        #expect(stage.difference(try stage.samples(file), [67_109..<100_000], fadesAt: []) == nil)
    }

    @Test("INT-9: a start at a frame that is to come survives an interruption, or comes right after it")
    func timedStart() throws {
        for frame in [60_000, 5_000] {
            let stage = try RecorderFixture()
            stage.recorder.resumePolicy = .always
            try stage.recorder.record(atFrame: UInt64(frame))
            try stage.render(1_000)
            try stage.host.ring()
            try stage.render(19_000)
            #expect(stage.events.wait { $0 == [.pausedBySession] } && !stage.recorder.isRecording)
            try stage.host.declineCall()
            stage.host.settle()
            #expect(stage.recorder.isRecording)
            try stage.render(50_000)
            let file = try #require(stage.recorder.stop()?.files.first)
            let first = max(frame, 20_000)
            let fades = frame < 20_000 ? [0] : []
            #expect(stage.difference(try stage.samples(file), [first..<70_000], fadesAt: fades) == nil)
        }
    }

    @Test("ACT-7: deactivating the session ends a recording, and its file is complete")
    func deactivation() throws {
        let stage = try RecorderFixture()
        try stage.recorder.record()
        try stage.render(5_000)
        try stage.session.setActive(false)
        #expect(!stage.recorder.isRecording)
        #expect(stage.events.wait { $0.count == 2 })
        let recording = try #require(stage.recorder.recording)
        #expect(recording.ending == .deactivated)
        #expect(stage.difference(try stage.samples(try #require(recording.files.first)), [0..<5_000]) == nil)
    }

    @Test("ACT-15: a recording that is refused creates no file; while it records, the session is in use (ACT-17)")
    func refused() throws {
        let stage = try RecorderFixture()
        try stage.host.ring()
        try stage.host.acceptCall()
        #expect(throws: AudioSessionError.self) { try stage.recorder.record() }
        #expect(!stage.recorder.isRecording)
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.directory.path) == [])
        try stage.host.endCall()
        try stage.recorder.record()
        #expect(stage.recorder.isRunning && stage.recorder.isRecorder && !stage.recorder.isPaused)
        stage.recorder.pause()
        #expect(!stage.recorder.isRunning && stage.recorder.isPaused)
        stage.recorder.stop()
        #expect(!stage.recorder.isPaused)
    }

    @Test("ROUTE-4: a category without input ends a recording; one that continues in another file pauses")
    func category() throws {
        for inputChange in [AudioRecorder.Configuration.InputChange.stop, .nextFile] {
            let stage = try RecorderFixture(configuration: .init(inputChange: inputChange))
            stage.recorder.resumePolicy = .always
            try stage.recorder.record()
            try stage.render(5_000)
            try stage.session.setCategory(.playback)
            if inputChange == .nextFile {
                #expect(stage.events.wait { $0.contains(where: isPause) })
                #expect(!stage.recorder.isRecording)
                // Back again, an interruption that ends does not open the microphone.
                try stage.session.setCategory(.playAndRecord)
                try stage.host.ring()
                try stage.render(1_000)
                try stage.host.declineCall()
                try stage.render(1_000)
                #expect(!stage.recorder.isRecording)
                stage.recorder.stop()
            }
            #expect(stage.events.wait { $0.contains { if case .ended = $0 { true } else { false } } })
            let recording = try #require(stage.recorder.recording)
            #expect(recording.ending == (inputChange == .stop ? .inputChanged : .stopped))
            #expect(recording.files.map(\.frames) == [5_000])
        }
    }

    @Test("INT-10: a recording that the microphone's switch has paused is resumed by the app only")
    func microphone() throws {
        var settings = ArbiterSettings()
        settings.policy.mutedMicrophoneInterrupts = true
        let stage = try RecorderFixture(settings: settings)
        stage.recorder.resumePolicy = .always
        try stage.recorder.record()
        try stage.render(5_000)
        try stage.host.setMicrophoneMuted(true)
        try stage.render(1_000)
        #expect(stage.events.wait { $0.contains(where: isPause) })
        #expect(throws: AudioSessionError.self) { try stage.recorder.record() }
        try stage.host.setMicrophoneMuted(false)
        try stage.render(1_000)
        #expect(!stage.recorder.isRecording && stage.recorder.isPaused)
        try stage.recorder.record()
        try stage.render(2_000)
        let recording = try #require(stage.recorder.stop())
        #expect(recording.files.count == 1 && recording.files[0].frames >= 7_000)
    }

    @Test("PERM-2: a revoked permission records silence, and the recording goes on")
    func permission() throws {
        let stage = try RecorderFixture()
        try stage.recorder.record()
        try stage.render(5_000)
        stage.host.setRecordPermission(.denied)
        try stage.render(5_000)
        let samples = try stage.samples(try #require(stage.recorder.stop()?.files.first))
        #expect(samples.count == 10_000 && samples[6_000...].allSatisfy { $0 == 0 })
    }

    @Test("ROUTE-4: a recorder whose input changed stops, without a frame of the other input; a setting lets it go on")
    func inputs() throws {
        typealias InputChange = AudioRecorder.Configuration.InputChange
        let cases: [(chosen: InputChange?, setting: Bool, result: InputChange)] = [
            (nil, false, .stop), (nil, true, .nextFile), (.stop, true, .stop), (.nextFile, false, .nextFile),
        ]
        for (chosen, setting, inputChange) in cases {
            var settings = ArbiterSettings()
            settings.recordsThroughInputChange = setting
            let stage = try RecorderFixture(configuration: .init(inputChange: chosen), settings: settings)
            try stage.recorder.record()
            try stage.render(5_000)
            try stage.host.plug("Headset", type: .headphones, inputs: 1)
            try stage.render(5_000)
            #expect(stage.session.currentRoute.inputs.map(\.portName) == ["Headset"])
            #expect(stage.recorder.isRecording == (inputChange == .nextFile))
            stage.recorder.stop()
            #expect(stage.events.wait { $0.contains { if case .ended = $0 { true } else { false } } })
            let recording = try #require(stage.recorder.recording)
            #expect(recording.ending == (inputChange == .stop ? .inputChanged : .stopped))
            #expect(stage.difference(try stage.samples(recording.files[0]), [0..<5_000]) == nil)
            #expect(recording.files.count == (inputChange == .stop ? 1 : 2))
            if inputChange == .nextFile { #expect(recording.files[1].frames == 5_000) }
        }
        // An output that comes does not matter to a recording.
        let stage = try RecorderFixture()
        try stage.recorder.record()
        try stage.render(5_000)
        try stage.host.plug("Speaker", type: .usbAudio, inputs: 0)
        try stage.render(5_000)
        #expect(stage.recorder.isRecording)
        #expect(stage.recorder.stop()?.files.map(\.frames) == [10_000])
    }

    @Test("Calls from several threads, interruptions and deactivations: nothing hangs, and no frame is recorded twice")
    func threads() throws {
        let stage = try RecorderFixture()
        let (recorder, session, host) = (stage.recorder, stage.session, stage.host)
        recorder.resumePolicy = .always
        try session.setActive(true)
        let group = DispatchGroup()
        for thread in 0..<3 {
            DispatchQueue.global().async(group: group) {
                var random = SeededGenerator(seed: TestSeed.ofCase(UInt64(thread)))
                for _ in 0..<60 {
                    switch Int.random(in: 0..<8, using: &random) {
                    case 0, 1: try? recorder.record()
                    case 2: recorder.pause()
                    case 3: try? recorder.prepare()
                    case 4: recorder.stop()
                    case 5: try? recorder.record(fromLevel: 0.000_1, forDuration: 0.01)
                    case 6: try? session.setActive(false)
                    default:
                        try? host.ring()
                        try? host.declineCall()
                    }
                }
            }
        }
        var rendered = 0
        while group.wait(timeout: .now()) == .timedOut {
            try stage.render(256)
            rendered += 256
        }
        recorder.stop()
        #expect(!recorder.isRecording && !recorder.isPaused)
        try recorder.record()
        try stage.render(1_000)
        #expect(recorder.stop()?.files.map(\.frames) == [1_000])
        let names = try FileManager.default.contentsOfDirectory(atPath: stage.directory.path)
        let recorded = try names.reduce(0) { $0 + (try SoundFile.read(stage.directory.file($1)).planes[0].count) }
        #expect(recorded <= rendered + 1_000, "\(TestSeed.text)")
    }
}
