import AudioSessionTypes
import Foundation
import TestSupport
import Testing

/// The recorder on a real jackd. The tests check every frame of its files.
@Suite("recorder: live", .serialized)
struct RecorderTests {
    let stage: RecorderStage

    init() throws { stage = try RecorderStage() }

    @Test("PLAY-2: the duration ends a recording after exactly that many frames; an existing file is not replaced")
    func duration() throws {
        let result = try stage.record("--duration", "1.5")
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(result.frames == [72_000] && result.reason == "limit")
        #expect(result.all("started").first?["path"] as? String == stage.file("take.wav"))
        try stage.expectComplete(stage.file("take.wav"), of: result, frames: 72_000)
        let before = try Data(contentsOf: URL(fileURLWithPath: stage.file("take.wav")))
        let again = try stage.record("--duration", "1.5")
        #expect(again.status == 73 && again.errors.count == 1)
        #expect(again.errors.first?.contains("already exists and is not replaced") == true, "\(again.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: stage.file("take.wav"))) == before)
        #expect(!FileManager.default.fileExists(atPath: stage.file("take-2.wav")))
    }

    @Test("PLAY-2: the size ends a recording before its file exceeds it")
    func size() throws {
        let result = try stage.record("--max-size", "400k")
        #expect(result.status == 0 && result.reason == "limit", "\(result.errors)")
        let attributes = try FileManager.default.attributesOfItem(atPath: stage.file("take.wav"))
        let size = try #require(attributes[.size] as? Int)
        #expect((390_000...400_000).contains(size))
        try stage.expectComplete(stage.file("take.wav"), of: result, frames: result.frames.first)
    }

    @Test("Signals end a recording with status 0 and a complete file", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        let run = try stage.startRecording()
        run.send(number)
        let result = try stage.finish(run)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(result.reason == "stopped" && result.frames.count == 1 && (result.frames.first ?? 0) > 40_000)
        try stage.expectComplete(stage.file("take.wav"), of: result, frames: result.frames.first)
    }

    @Test("INT-1, INT-9: a call pauses a recording, which resumes in the same file when it is declined")
    func interruption() throws {
        let run = try stage.startRecording()
        #expect(try stage.service.audiosession("call", "ring").status == 0)
        #expect(run.waitForLine("\"type\":\"began\"") && run.waitForLine("\"event\":\"paused\""))
        #expect(try stage.service.audiosession("call", "decline").status == 0)
        #expect(run.waitForLine("\"event\":\"resumed\""))
        let positions = run.outLines.count { $0.contains("\"position\"") }
        #expect(run.waitForLine("\"event\":\"position\"", count: positions + 2))
        run.send(SIGTERM)
        let result = try stage.finish(run)
        #expect(result.status == 0 && result.all("paused").compactMap { $0["by"] as? String } == ["session"])
        #expect(result.all("file").count == 1)
        // Two runs, and at most a period and two fades that are not the signal.
        let found = try stage.signal.runs(
            in: stage.file("take.wav"), minimum: RecorderStage.rate / 10, gaps: result.xruns(in: stage.file("take.wav"))
        )
        #expect(found.frames == result.frames.first && found.runs.count == 2, "\(found)")
        let missing = found.frames - found.runs.reduce(0) { $0 + $1.frames }
        #expect(missing <= RecorderStage.period + 3 * CodedSignal.fade(RecorderStage.rate), "\(found)")
    }

    @Test("INT-9: with --resume never, the recording stays paused; with always, it resumes in any case")
    func resumption() throws {
        for (policy, isResumed) in [("never", false), ("always", true)] {
            let run = try stage.startRecording("--resume", policy, to: "\(policy).wav")
            #expect(try stage.service.audiosession("interrupt", "begin", "--rank", "alarm").status == 0)
            #expect(run.waitForLine("\"event\":\"paused\""))
            #expect(try stage.service.audiosession("interrupt", "end", "--no-resume").status == 0)
            #expect(run.waitForLine("\"type\":\"ended\""))
            if isResumed { #expect(run.waitForLine("\"event\":\"resumed\"")) }
            run.send(SIGTERM)
            let result = try stage.finish(run)
            #expect(result.status == 0 && !result.all("resumed").isEmpty == isResumed)
        }
    }

    @Test("PLAY-2: recording starts with the first sound, and the time before it")
    func startLevel() throws {
        let run = try stage.start(
            [
                "--connections", "none", "--start-level", "-100", "--pre-roll", "0.25", "--duration", "1", "--levels",
                "0.1",
            ])
        #expect(run.waitForLine("\"event\":\"waiting\""))
        #expect(run.waitForLine("\"event\":\"level\"", count: 6), "the input is on for the length of the pre-roll")
        for channel in 1...2 {
            try connect("Mic:capture_\(channel)", "recorder:mic_in_\(channel)")
        }
        let result = try stage.finish(run)
        #expect(result.status == 0 && result.frames == [48_000], "\(result.errors)")
        let found = try stage.signal.runs(
            in: stage.file("take.wav"), minimum: RecorderStage.rate / 10, gaps: result.xruns(in: stage.file("take.wav"))
        )
        // The first channel may be connected some periods before the second one.
        let silence = try SoundFile.read(stage.file("take.wav")).planes[0].firstIndex { $0 != 0 }
        #expect(silence == 12_000)
        #expect(found.runs.count == 1 && found.runs[0].begin + found.runs[0].frames == 48_000, "\(found)")
    }

    private func connect(_ source: String, _ destination: String) throws {
        var output = ""
        let isConnected = try eventually {
            let result = try ChildProcess.run(
                "jack_connect", ["-s", stage.server.name, source, destination], environment: stage.server.environment)
            output = result.output
            return result.status == 0
        }
        let ports = try ChildProcess.run("jack_lsp", ["-s", stage.server.name], environment: stage.server.environment)
        #expect(isConnected, "\(output) \(ports.output)")
    }

    @Test("PLAY-2: --start-in begins after its time, for exactly the duration")
    func startIn() throws {
        let result = try stage.record("--start-in", "1.2", "--duration", "0.5")
        #expect(result.status == 0 && result.frames == [24_000], "\(result.errors)")
        #expect(result.all("waiting").first?["seconds"] as? Double == 1.2)
        let start = try #require(result.all("started").first?["time"] as? Double)
        #expect(start >= 1.2)
        try stage.expectComplete(stage.file("take.wav"), of: result, frames: 24_000)
    }

    @Test("The levels are reported when asked for, in dBFS")
    func levels() throws {
        let tone = try VirtualDevice(
            "Tone", kind: .headsetMic, on: stage.server.environment, outputs: 0, inputs: 1, sound: .tone(hertz: 1000))
        defer { tone.kill() }
        let result = try stage.record("--input", "Tone", "--levels", "0.2", "--duration", "1.5")
        #expect(result.status == 0 && result.frames == [72_000], "\(result.errors)")
        let levels = result.all("level").compactMap { $0["channels"] as? [[String: Any]] }
        #expect(levels.count >= 4 && levels.allSatisfy { $0.count == 1 })
        let last = try #require(levels.last?.first)
        #expect(abs((last["peak"] as? Double ?? 0) + 6.02) < 0.1 && abs((last["rms"] as? Double ?? 0) + 9.03) < 0.1)
        #expect(last["clipped"] as? Int == 0)
    }

    @Test(
        "ROUTE-4: another input ends the recording with 75, or continues in another file", arguments: ["stop", "next"])
    func inputChange(choice: String) throws {
        let run = try stage.startRecording("--input-change", choice, "--channels", "1")
        let headset = try VirtualDevice(
            "Headset", kind: .headsetMic, on: stage.server.environment, outputs: 0, inputs: 1, sound: .tone(hertz: 440))
        defer { headset.kill() }
        if choice == "next" {
            #expect(run.waitForLine("\"event\":\"started\"", count: 2))
            run.send(SIGTERM)
        }
        let result = try stage.finish(run)
        #expect(result.status == (choice == "stop" ? 75 : 0), "\(result.errors)")
        #expect(result.reason == (choice == "stop" ? "inputChanged" : "stopped"))
        #expect(result.all("file").count == (choice == "stop" ? 1 : 2))
        let samples = try SoundFile.read(stage.file("take.wav")).planes[0]
        #expect(samples.count == result.frames.first && samples.count > 40_000)
    }

    @Test("PERM-2: a permission that is revoked is reported; the recording continues with silence")
    func revocation() throws {
        let run = try stage.startRecording()
        let program = try RecorderStage.program
        #expect(try stage.service.audiosession("permission", "deny", program).status == 0)
        #expect(run.waitForLine("\"code\":77"))
        let positions = run.outLines.count { $0.contains("\"position\"") }
        #expect(run.waitForLine("\"event\":\"position\"", count: positions + 2))
        run.send(SIGTERM)
        let result = try stage.finish(run)
        #expect(result.status == 0 && result.errors.count == 1, "\(result.errors)")
        let recorded = try SoundFile.read(stage.file("take.wav")).planes[0]
        #expect(recorded.prefix(40_000).contains { $0 != 0 } && recorded.suffix(24_000).allSatisfy { $0 == 0 })
    }

    @Test("PLAY-2: the monitor plays the input while it is recorded")
    func monitor() throws {
        let speaker = try VirtualDevice(
            "Speaker", kind: .builtInSpeaker, on: stage.server.environment, outputs: 2, captures: true)
        let result = try stage.record("--monitor", "0", "--duration", "1.5")
        #expect(result.status == 0, "\(result.errors)")
        speaker.stop()
        let heard = try speaker.captured()
        let recorded = try SoundFile.read(stage.file("take.wav")).planes
        let sample = recorded[1][48_000]
        let frame = try #require(heard[1].firstIndex(of: sample), "the recorded sound was not heard")
        let (before, after) = (heard[1][..<frame].suffix(4_000), recorded[1][..<48_000].suffix(4_000))
        #expect(Signal.firstDifference(before, after) == nil)
    }

    @Test(
        "PLAY-2: a program that was stopped has a gap of that length in its file, with every other frame in its place")
    func xrun() throws {
        let run = try stage.startRecording()
        run.send(SIGSTOP)
        let end = ContinuousClock.now + .milliseconds(400)
        #expect(eventually { ContinuousClock.now >= end })
        run.send(SIGCONT)
        #expect(run.waitForLine("\"event\":\"gap\""))
        let positions = run.outLines.count { $0.contains("\"position\"") }
        #expect(run.waitForLine("\"event\":\"position\"", count: positions + 2))
        run.send(SIGTERM)
        let result = try stage.finish(run)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        let gaps = result.xruns(in: stage.file("take.wav"))
        // It had about a period left when it was stopped.
        #expect(gaps.contains { (16_000..<48_000).contains($0.count) }, "\(gaps)")
        #expect(result.all("ended").first?["lostFrames"] as? Int == gaps.reduce(0) { $0 + $1.count })
        try stage.expectComplete(stage.file("take.wav"), of: result, frames: result.frames.first)
    }

    @Test("ACT-7: a session that the system deactivates ends the recording with 75 and a complete file")
    func deactivation() throws {
        let run = try stage.startRecording()
        let suspension = try stage.service.audiosession("app", "suspend", "1")
        #expect(suspension.status == 0, "\(suspension.output)")
        let result = try stage.finish(run)
        #expect(result.status == 75 && result.reason == "deactivated", "\(result.events)")
        #expect(
            result.errors == [
                "recorder: The system deactivated the session, which ended the recording; start the recorder again."
            ])
        #expect(result.frames.count == 1 && (result.frames.first ?? 0) > 40_000)
        let samples = try SoundFile.read(stage.file("take.wav")).planes[0]
        #expect(samples.count == result.frames.first && samples.prefix(40_000).contains { $0 != 0 })
    }

    @Test("SRV-2, PLAY-2: a server that returns leaves a gap, which is reported; one that does not ends with 69")
    func serverLost() throws {
        let run = try stage.startRecording("--wait", "20")
        stage.server.kill()
        #expect(run.waitForLine("\"state\":\"lost\""))
        stage.server = try JackServer(
            stage.name, sampleRate: RecorderStage.rate, periodFrames: RecorderStage.period,
            arguments: JackServer.synchronous)
        #expect(run.waitForLine("\"state\":\"reset\"") && run.waitForLine("\"event\":\"gap\""))
        run.send(SIGTERM)
        let result = try stage.finish(run)
        #expect(result.status == 0, "\(result.errors)")
        let gap = try #require(result.all("gap").first { $0["cause"] as? String == "server" })
        #expect((gap["frames"] as? Int ?? 0) > 0)
        // The microphone returns later than the server, and is awaited.
        #expect(result.reason == "stopped" && result.all("file").count == 1)
        let last = try stage.startRecording("--wait", "0.5", to: "last.wav")
        stage.server.kill()
        let lost = try stage.finish(last)
        #expect(lost.status == 69 && lost.reason == "serverGone", "\(lost.events)")
        #expect(
            lost.errors == [
                "recorder: The JACK server died and did not return; start it again, then restart the recorder."
            ])
        let frames = try stage.signal.runs(in: stage.file("last.wav")).frames
        #expect(lost.frames == [frames] && frames > 40_000)
    }
}
