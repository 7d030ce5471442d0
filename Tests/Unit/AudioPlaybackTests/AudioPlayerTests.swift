import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

@Suite("AudioPlayer")
struct AudioPlayerTests {
    @Test("ACT-15: playing activates the session; a refusal plays nothing and is thrown")
    func activation() throws {
        let stage = try PlaybackFixture()
        #expect(!stage.session.isActive)
        try stage.player.play()
        #expect(stage.session.isActive)
        #expect(Signal.firstDifference(try stage.render(1000), stage.source[..<1000]) == nil)
        #expect(stage.player.isPlaying)

        let refused = try PlaybackFixture(category: .ambient)
        try refused.host.ring()
        try refused.host.acceptCall()
        let error = #expect(throws: AudioSessionError.self) { try refused.player.play() }
        #expect(error?.errorCode == .insufficientPriority)
        #expect(!refused.player.isPlaying && !refused.session.isActive)
    }

    @Test("play() after the last frame, before the end is reported, starts again; each end is reported once")
    func playsAgainAtItsEnd() throws {
        let stage = try PlaybackFixture(frames: 600, period: 1024)
        try SoundFile.write(
            [[Float](repeating: 0, count: 900)], sampleRate: PlaybackFixture.rate,
            to: stage.directory.file("silence.wav"))
        let other = try AudioPlayer(path: stage.directory.file("silence.wav"), session: stage.session)
        let ends = EventLog<AudioPlayer.Ending>()
        stage.player.onFinish { _, ending in ends.note(ending) }
        // The other player's last frame is later in the same cycle. Its end is reported first, and
        // the app's handler then plays again.
        other.onFinish { [player = stage.player] _, _ in try? player.play() }
        try other.play()
        try stage.player.play()
        #expect(Signal.firstDifference(try stage.render(1024)[..<600], stage.source) == nil)
        #expect(ends.noted == [.finished])
        #expect(Signal.firstDifference(try stage.render(1024)[..<600], stage.source) == nil)
        #expect(ends.noted == [.finished, .finished])
        #expect(!stage.player.isPlaying)
    }

    @Test("ACT-15: a file that is gone activates nothing and interrupts no other session")
    func missingFile() throws {
        let stage = try PlaybackFixture()
        let other = try AudioSession(host: stage.host)
        try other.setCategory(.playback)
        try other.setActive(true)
        try FileManager.default.removeItem(atPath: stage.directory.file("count.wav"))
        #expect(throws: AudioFileError.self) { try stage.player.play() }
        #expect(other.isActive && !stage.session.isActive && !stage.player.isPlaying)
    }

    @Test("ACT-17: a player that is paused part-way is in use; a stopped one is not")
    func pausedPartWay() throws {
        let stage = try PlaybackFixture()
        try stage.player.play()
        _ = try stage.render(1_000)
        #expect(!stage.player.isPaused)
        stage.player.pause()
        #expect(stage.player.isPaused)
        stage.player.stop()
        #expect(!stage.player.isPaused)
    }

    @Test("INT-8, INT-9: a call silences the player within a period and the fade; it resumes at the very next frame")
    func interruption() throws {
        let stage = try PlaybackFixture()
        try stage.player.play()
        _ = try stage.render(10_000)
        try stage.host.ring()
        let during = try stage.render(5000)
        #expect(during[(256 + PlaybackFixture.fade)...].allSatisfy { $0 == 0 })
        #expect(!stage.player.isPlaying)
        let rendered = Int((stage.player.currentTime * Double(PlaybackFixture.rate)).rounded())
        #expect(rendered == 10_000 + PlaybackFixture.fade)

        try stage.host.declineCall()
        let after = try stage.render(5000)
        #expect(stage.player.isPlaying)
        // Full level after the fade-in; each frame continues from the last one rendered.
        let first = try #require(after.firstIndex { $0 != 0 })
        let heard = after[(first + PlaybackFixture.fade)...]
        #expect(stage.frame(of: try #require(heard.first)) == rendered + PlaybackFixture.fade)
        #expect(
            Signal.firstDifference(heard, stage.source[(rendered + PlaybackFixture.fade)...].prefix(heard.count)) == nil
        )
    }

    @Test("INT-8, INT-9: a player follows the app's handlers on the main queue", arguments: [false, true])
    @MainActor func handlersOnMainQueue(appPauses: Bool) async throws {
        let stage = try PlaybackFixture(clock: StoppedClock())
        stage.host.notificationThread = .main
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.interruptionNotification, object: stage.session, queue: nil
        ) { [player = stage.player] note in
            if appPauses, note.userInfo?[AudioSessionInterruptionTypeKey] as? UInt == 0 { player.pause() }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try stage.player.play()
        _ = try stage.render(10_000)
        try stage.host.ring()
        _ = try stage.render(5_000)
        try stage.host.declineCall()
        stage.host.settle()
        #expect(!stage.player.isPlaying, "the app has not been notified")
        await withCheckedContinuation { continuation in
            OperationQueue.main.addOperation { continuation.resume() }
        }
        let output = try stage.render(1_000)
        #expect(stage.player.isPlaying == !appPauses)
        #expect(appPauses ? output.allSatisfy { $0 == 0 } : stage.frame(of: output[999]) == 10_240 + 999)
    }

    @Test("INT-7: a player that the user pauses during a call does not resume automatically")
    func pausedDuringInterruption() throws {
        let stage = try PlaybackFixture()
        try stage.player.play()
        _ = try stage.render(1000)
        try stage.host.ring()
        _ = try stage.render(1000)
        stage.player.pause()
        try stage.host.declineCall()
        #expect(try stage.render(2000).allSatisfy { $0 == 0 })
        #expect(!stage.player.isPlaying)
        try stage.player.play()
        let output = try stage.render(1000)
        #expect(stage.frame(of: output[999]) == 1000 + PlaybackFixture.fade + 999)
    }

    @Test(
        "INT-9: which players resume automatically",
        arguments: [
            (AudioSession.Category.playback, AudioSession.Mode.default, true),
            (.playback, .moviePlayback, true), (.playback, .spokenAudio, true), (.playback, .voicePrompt, false),
            (.soloAmbient, .default, true), (.ambient, .default, true),
        ])
    func resumption(category: AudioSession.Category, mode: AudioSession.Mode, resumes: Bool) throws {
        let stage = try PlaybackFixture(category: category, mode: mode)
        try stage.player.play()
        _ = try stage.render(1000)
        try stage.host.ring()
        _ = try stage.render(1000)
        try stage.host.declineCall()
        _ = try stage.render(1000)
        #expect(stage.player.isPlaying == resumes)
    }

    @Test("INT-3, INT-9: without shouldResume only ambient audio resumes; a policy set by the app has precedence")
    func withoutShouldResume() throws {
        for (category, policy, resumes) in [
            (AudioSession.Category.playback, AudioPlayer.ResumePolicy.automatic, false), (.playback, .always, true),
            (.soloAmbient, .automatic, true), (.soloAmbient, .never, false),
        ] {
            let stage = try PlaybackFixture(category: category)
            stage.player.resumePolicy = policy
            try stage.player.play()
            _ = try stage.render(1000)
            try stage.host.beginInterruption(by: .alarm)
            _ = try stage.render(1000)
            try stage.host.endInterruption(shouldResume: false)
            _ = try stage.render(1000)
            #expect(stage.player.isPlaying == resumes, "\(category) \(policy)")
        }
    }

    @Test("ACT-7: deactivating stops the player at its position; playing again continues from there")
    func deactivation() throws {
        let stage = try PlaybackFixture()
        try stage.player.play()
        _ = try stage.render(4800)
        try stage.session.setActive(false)
        #expect(!stage.player.isPlaying)
        #expect(try stage.render(4800)[PlaybackFixture.fade...].allSatisfy { $0 == 0 })
        let place = stage.player.currentTime
        #expect(abs(place - 0.1) < 0.006)
        try stage.player.play()
        let output = try stage.render(1000)
        #expect(stage.frame(of: output[999]) == Int((place * Double(PlaybackFixture.rate)).rounded()) + 999)
    }

    @Test("Seeking during playback crossfades to the new position; while stopped it sets the start position")
    func seeking() throws {
        let stage = try PlaybackFixture()
        stage.player.currentTime = 0.5
        try stage.player.play()
        #expect(stage.frame(of: try stage.render(100)[99]) == 24_000 + 99)
        stage.player.currentTime = 1.5
        let output = try stage.render(1000)
        #expect(stage.frame(of: output[999]) == 72_000 + 999)
        stage.player.currentTime = -3
        #expect(stage.player.currentTime == 0)
        stage.player.currentTime = .nan
        #expect(stage.player.currentTime == 0)
        stage.player.currentTime = 1000
        #expect(stage.player.currentTime <= stage.player.duration)
    }

    @Test("Pause and play lose no frame and do not click")
    func pausing() throws {
        let stage = try PlaybackFixture()
        try stage.player.play()
        var output = try stage.render(2000)
        stage.player.pause()
        output += try stage.render(2000)
        try stage.player.play()
        output += try stage.render(2000)
        let steepest =
            (stage.source[2000 + 2 * PlaybackFixture.fade] / Float(PlaybackFixture.fade) + stage.source[0]) * 1.01
        #expect(Signal.largestStep(output) <= steepest)
        #expect(stage.frame(of: output[5999]) == 2000 + PlaybackFixture.fade + 1999)
    }

    @Test("The end is reported once; loops repeat as often as set; then playback starts from the beginning")
    func finishing() throws {
        let stage = try PlaybackFixture(frames: 1000)
        let endings = EventLog<AudioPlayer.Ending>()
        stage.player.onFinish { _, ending in endings.note(ending) }
        stage.player.numberOfLoops = 1
        try stage.player.play()
        let output = try stage.render(3000)
        let expected = stage.source + stage.source + [Float](repeating: 0, count: 1000)
        #expect(Signal.firstDifference(output, expected) == nil)
        #expect(endings.noted == [.finished])
        #expect(!stage.player.isPlaying && stage.player.currentTime == 0)
        try stage.player.play()
        #expect(Signal.firstDifference(try stage.render(1000), stage.source) == nil)
    }

    @Test("Volume is linear and ramps; a NaN changes nothing")
    func volume() throws {
        let stage = try PlaybackFixture()
        try stage.player.play()
        _ = try stage.render(1000)
        stage.player.volume = 0.5
        let output = try stage.render(1000)
        #expect(output[999] == stage.source[1999] * 0.5)
        stage.player.volume = .nan
        stage.player.volume = -1
        #expect(stage.player.volume == 0.5)
    }

    @Test("SRV-2, HW-3: the server returns with another rate, and the player continues at its position and pitch")
    func otherRate() throws {
        let stage = try PlaybackFixture()
        try stage.player.play()
        _ = try stage.render(24_000)
        stage.driver.setSampleRate(96_000)
        let output = try stage.render(9600)
        // At twice the rate, the same number of frames advances half as far in the file.
        #expect(abs(stage.frame(of: output[9599]) - (24_000 + 4800)) < 300)
        let slope = (output[9000] - output[5000]) / 4000 * 1_048_576
        #expect(abs(slope - 0.5) < 0.01)
    }

    @Test("Playing a playing player changes nothing, from any number of threads; it plays once and can be stopped")
    func playingTwice() throws {
        let stage = try PlaybackFixture()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in try? stage.player.play() }
        #expect(Signal.firstDifference(try stage.render(1000), stage.source[..<1000]) == nil)
        try stage.player.play()
        #expect(Signal.firstDifference(try stage.render(1000), stage.source[1000..<2000]) == nil)
        stage.player.stop()
        #expect(try stage.render(1000)[PlaybackFixture.fade...].allSatisfy { $0 == 0 })
    }

    @Test("Concurrent calls from many threads leave one voice or none")
    func hammering() throws {
        let stage = try PlaybackFixture()
        DispatchQueue.concurrentPerform(iterations: 200) { turn in
            switch turn % 5 {
            case 0: try? stage.player.play()
            case 1: stage.player.pause()
            case 2: stage.player.currentTime = Double(turn % 7) / 5
            case 3: stage.player.stop()
            default: stage.player.volume = 1
            }
        }
        stage.player.stop()
        _ = try stage.render(2000)
        #expect(try stage.render(1000).allSatisfy { $0 == 0 })
        stage.player.currentTime = 0
        try stage.player.play()
        #expect(Signal.firstDifference(try stage.render(1000), stage.source[..<1000]) == nil)
    }

    @Test("Seeking to the end during playback ends it, or starts the next loop; while paused it stays there")
    func seekingToTheEnd() throws {
        let stage = try PlaybackFixture()
        let endings = EventLog<AudioPlayer.Ending>()
        stage.player.onFinish { _, ending in endings.note(ending) }
        try stage.player.play()
        _ = try stage.render(1000)
        stage.player.currentTime = 100
        #expect(endings.noted == [.finished])
        #expect(!stage.player.isPlaying && stage.player.currentTime == 0)
        #expect(try stage.render(1000)[PlaybackFixture.fade...].allSatisfy { $0 == 0 })

        stage.player.numberOfLoops = 1
        try stage.player.play()
        _ = try stage.render(1000)
        stage.player.currentTime = stage.player.duration
        #expect(stage.frame(of: try stage.render(1000)[999]) == 999)

        stage.player.pause()
        stage.player.currentTime = 100
        #expect(stage.player.currentTime == stage.player.duration)
        try stage.player.play()
        #expect(stage.frame(of: try stage.render(1000)[999]) == 999)
    }

    @Test("A file that no longer exists when it is read again is reported as damaged, and does not play")
    func fileGone() throws {
        let stage = try PlaybackFixture()
        let endings = EventLog<AudioPlayer.Ending>()
        stage.player.onFinish { _, ending in endings.note(ending) }
        try stage.player.play()
        _ = try stage.render(1000)
        try FileManager.default.removeItem(atPath: stage.player.path)
        stage.player.currentTime = 1
        #expect(endings.noted == [.damaged(.notFound(path: stage.player.path))])
        #expect(!stage.player.isPlaying)
        #expect(throws: AudioFileError.self) { try stage.player.play() }
    }

    @Test("HW-5: after a rate change in the second pass, the rest of that pass plays, not all loops again")
    func otherRateWithinLoops() throws {
        let stage = try PlaybackFixture()
        stage.player.numberOfLoops = 1
        try stage.player.play()
        _ = try stage.render(100_000)
        stage.driver.setSampleRate(44_100)
        var seconds = 0.0
        while stage.player.isPlaying, seconds < 5 {
            _ = try stage.render(441)
            seconds += 0.01
        }
        #expect(abs(seconds - (192_000 - 100_000) / 48_000) < 0.05)
    }

    @Test("ACT-15: closing the host stops the player without reporting an end; playing again reconnects and continues")
    func closedHost() throws {
        let stage = try PlaybackFixture()
        let endings = EventLog<AudioPlayer.Ending>()
        stage.player.onFinish { _, ending in endings.note(ending) }
        try stage.player.play()
        _ = try stage.render(1000)
        stage.host.close()
        #expect(!stage.player.isPlaying && endings.noted.isEmpty)
        try stage.player.play()
        #expect(stage.frame(of: try stage.render(1000)[999]) == 1999)
    }

    @Test("A fade of any length is accepted")
    func endlessFade() throws {
        let stage = try PlaybackFixture()
        try stage.player.play()
        stage.player.setVolume(0, fadeDuration: 1e300)
        #expect(try stage.render(1000)[999] > stage.source[999] * 0.99)
    }
}
