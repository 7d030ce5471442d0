import AudioRendering
import AudioSessions
import Dispatch
import Foundation
import Platform
import SessionArbiter
import TestSupport
import Testing

/// Recording permission, input mute and the microphone's switch, down to the captured frames.
@Suite struct InputTests {
    private let stage = HostFixture(settings: .interruptingMicrophone, inputChannels: 1)

    private func recording(_ options: AudioSession.CategoryOptions = []) throws -> (AudioSession, AudioSessionInput) {
        let session = try stage.session(.playAndRecord, options: options)
        let input = try AudioSessionInput(session: session)
        try input.start()
        stage.host.settle()
        return (session, input)
    }

    /// Returns the samples captured while the input is a constant 1 for `frames` frames, including
    /// fades.
    private func capture(_ input: AudioSessionInput, frames: Int = 1_024) throws -> [Float] {
        _ = try stage.driver.render(frames: frames, inputs: [[Float](repeating: 1, count: frames)])
        var samples: [Float] = []
        while let block = input.capture.read() { samples += block.samples }
        return samples
    }

    /// A user who answers the permission prompt when the test says so.
    private final class User: Sendable {
        let asked = EventLog<Int>()
        private let answer = Mutex<(@Sendable (Bool) -> Void)?>(nil)

        init(of host: AudioSessionHost) {
            host.setRecordPermissionPrompt { [asked, answer] respond in
                answer.withLock { $0 = respond }
                asked.note(1)
            }
        }

        func say(_ yes: Bool) { answer.withLock { $0 }?(yes) }
    }

    @Test("PERM-1, PERM-3: starting to record requests permission; until the answer, input is silent, then audible")
    func asksByItself() throws {
        let user = User(of: stage.host)
        let (session, input) = try recording()
        #expect(user.asked.wait { $0.count == 1 })
        #expect(stage.host.application.recordPermission == .undetermined)
        #expect(try capture(input).allSatisfy { $0 == 0 })
        #expect(session.explain() == ["session \(session.id) is inputSilenced by PERM-1"])
        user.say(true)
        #expect(stage.host.application.recordPermission == .granted)
        _ = try capture(input)
        #expect(try capture(input).allSatisfy { $0 == 1 })
        user.say(false)
        #expect(stage.host.application.recordPermission == .granted, "one prompt, one answer")
    }

    @Test("PERM-2: the user is asked once; later requests are answered at once with the stored answer")
    func asksOnce() throws {
        let user = User(of: stage.host)
        let answers = EventLog<Bool>()
        for _ in 0..<3 { stage.host.application.requestRecordPermission { answers.note($0) } }
        #expect(user.asked.wait { $0.count == 1 })
        user.say(false)
        #expect(answers.wait { $0 == [false, false, false] })
        stage.host.application.requestRecordPermission { answers.note($0) }
        #expect(answers.wait { $0.count == 4 })
        #expect(user.asked.noted.count == 1)
        stage.host.setRecordPermission(.undetermined)
        stage.host.application.requestRecordPermission { answers.note($0) }
        #expect(user.asked.wait { $0.count == 2 })
        user.say(true)
        #expect(answers.wait { $0.last == true })
    }

    @Test("PERM-2: revoked while recording, input is silent within a period and its fade, and the session stays active")
    func revoked() throws {
        let (session, input) = try recording()
        stage.host.setRecordPermission(.granted)
        _ = try capture(input)
        stage.host.setRecordPermission(.denied)
        let samples = try capture(input, frames: 1_024)
        #expect(samples[256...].allSatisfy { $0 == 0 } && session.isActive)
    }

    @Test("PERM-2: the answer is stored for the app, by program, and a damaged file counts as no answer")
    func kept() throws {
        let directory = try TemporaryDirectory()
        let folder = URL(fileURLWithPath: directory.file("state"))
        func host(_ app: String) -> AudioSessionHost {
            AudioSessionHost(
                driver: OfflineDriver(channels: 1), settings: ArbiterSettings(),
                store: StoredPermission(PermissionStore(directory: folder), program: app))
        }
        func answer(_ app: String) -> AudioApplication.RecordPermission {
            let host = host(app)
            return withExtendedLifetime(host) { host.application.recordPermission }
        }
        let first = host("/bin/one")
        #expect(first.application.recordPermission == .undetermined)
        first.setRecordPermission(.denied)
        #expect(answer("/bin/one") == .denied)
        #expect(answer("/bin/two") == .undetermined)
        try Data("{ damaged".utf8).write(to: folder.appendingPathComponent("record-permissions.json"))
        #expect(answer("/bin/one") == .undetermined)
        host("/bin/two").setRecordPermission(.granted)
        #expect(answer("/bin/two") == .granted)
    }

    @Test("PERM-4: muted input is zeros; the mute is reported once while input is active, and kept")
    func muted() throws {
        let application = stage.host.application
        let notified = EventLog<Bool>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioApplication.inputMuteStateChangeNotification, object: application, queue: nil
        ) { notified.note(($0.userInfo?[AudioApplication.muteStateKey] as? Bool) ?? false) }
        defer { NotificationCenter.default.removeObserver(token) }
        try application.setInputMuted(true)
        stage.host.settle()
        #expect(notified.noted.isEmpty && application.isInputMuted, "no input is active")
        stage.host.setRecordPermission(.granted)
        let (session, input) = try recording()
        #expect(try capture(input).allSatisfy { $0 == 0 } && session.isActive)
        try application.setInputMuted(false)
        _ = try capture(input)
        #expect(try capture(input).allSatisfy { $0 == 1 })
        stage.host.settle()
        #expect(notified.noted == [false])
        try application.setInputMuteStateChangeHandler { _ in false }
        #expect(throws: AudioSessionError.self) { try application.setInputMuted(true) }
        #expect(!application.isInputMuted)
    }

    @Test("INT-10: the microphone's switch interrupts a recording session; unmuted, input starts only on request")
    func microphone() throws {
        stage.host.setRecordPermission(.granted)
        let (session, input) = try recording()
        let listener = NotificationRecorder(AudioSession.interruptionNotification, of: session)
        try stage.host.setMicrophoneMuted(true)
        stage.host.settle()
        #expect(listener.heard.noted.last?[AudioSessionInterruptionReasonKey] == 2)
        #expect(!session.isActive && !input.isRunning)
        let error = #expect(throws: AudioSessionError.self) { try input.start() }
        #expect(error?.errorCode == .resourceNotAvailable && error?.rule == "INT-10")
        try stage.host.setMicrophoneMuted(false)
        stage.host.settle()
        try session.setActive(true)
        #expect(try capture(input).allSatisfy { $0 == 0 }, "not without a request")
        try input.start()
        _ = try capture(input)
        #expect(try capture(input).allSatisfy { $0 == 1 })
        input.stop()
        _ = try capture(input)
        #expect(try capture(input).allSatisfy { $0 == 0 })
    }

    @Test("CAT-3: setting a category without input stops the input; after one with input, it starts on request")
    func otherCategory() throws {
        stage.host.setRecordPermission(.granted)
        let (session, input) = try recording()
        try session.setCategory(.playback)
        stage.host.settle()
        #expect(!input.isRunning)
        try session.setCategory(.playAndRecord)
        try input.start()
        _ = try capture(input)
        #expect(try capture(input).allSatisfy { $0 == 1 })
    }

    @Test("ACT-15, INT-5: an interrupted input resumes when it is started again")
    func startAgain() throws {
        stage.host.setRecordPermission(.granted)
        let (session, input) = try recording()
        try stage.host.ring()
        try stage.host.declineCall()
        stage.host.settle()
        #expect(input.isRunning && !session.isActive)
        try input.start()
        #expect(session.isActive)
        _ = try capture(input)
        #expect(try capture(input).allSatisfy { $0 == 1 })
    }

    @Test("ACT-15, INT-10: input that a muted microphone refuses activates nothing and interrupts no music")
    func refusedStart() throws {
        stage.host.setRecordPermission(.granted)
        let music = try stage.session(.playback)
        try music.setActive(true)
        let interruptions = NotificationRecorder(AudioSession.interruptionNotification, of: music)
        let session = try stage.session(.playAndRecord)
        let input = try AudioSessionInput(session: session)
        try stage.host.setMicrophoneMuted(true)
        let error = #expect(throws: AudioSessionError.self) { try input.start() }
        #expect(error?.errorCode == .resourceNotAvailable && session.lastRefusal?.rule == "INT-10")
        stage.host.settle()
        #expect(music.isActive && !session.isActive && !input.isRunning && interruptions.heard.noted.isEmpty)
        try stage.host.setMicrophoneMuted(false)
        try input.start()
        #expect(session.isActive && input.isRunning && interruptions.heard.wait { $0.count == 1 })
        _ = try capture(input)
        #expect(try capture(input).allSatisfy { $0 == 1 })
    }

    @Test("INT-10: the microphone's switch stops an interrupted input")
    func heldByInterruption() throws {
        stage.host.setRecordPermission(.granted)
        let (session, input) = try recording()
        try stage.host.ring()
        try stage.host.setMicrophoneMuted(true)
        try stage.host.declineCall()
        stage.host.settle()
        #expect(!input.isRunning)
        try session.setActive(true)
        try stage.host.setMicrophoneMuted(false)
        #expect(try capture(input).allSatisfy { $0 == 0 }, "not without a request")
    }

    @Test("INT-10: an input that the switch has stopped does not start before its notice has been delivered either")
    func stoppedBeforeNotice() throws {
        stage.host.setRecordPermission(.granted)
        let (session, input) = try recording()
        let (isBlocked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.interruptionNotification, object: session, queue: nil
        ) { _ in
            isBlocked.signal()
            mayGoOn.wait()
        }
        defer {
            NotificationCenter.default.removeObserver(token)
            for _ in 0..<8 { mayGoOn.signal() }
            stage.host.settle()
        }
        try stage.host.ring()
        isBlocked.wait()
        try stage.host.setMicrophoneMuted(true)
        try stage.host.declineCall()
        #expect(input.isRunning, "the notice has not been delivered")
        let other = try AudioSessionInput(session: session)
        let error = #expect(throws: AudioSessionError.self) { try input.start() }
        #expect(error?.rule == "INT-10" && !input.isRunning)
        try stage.host.setMicrophoneMuted(false)
        try other.start()
        for _ in 0..<8 { mayGoOn.signal() }
        stage.host.settle()
        #expect(other.isRunning && !input.isRunning, "the start of another input does not start it again")
    }

    @Test("INT-10: a mute key gives zeros to the input and interrupts nothing; unmuted, it is heard again")
    func muteKey() throws {
        let stage = HostFixture(inputChannels: 1)
        stage.host.setRecordPermission(.granted)
        let session = try stage.session(.playAndRecord)
        let input = try AudioSessionInput(session: session)
        try stage.host.setMicrophoneMuted(true)
        try input.start()
        stage.host.settle()
        func captured() throws -> [Float] {
            _ = try stage.driver.render(frames: 1_024, inputs: [[Float](repeating: 1, count: 1_024)])
            var samples: [Float] = []
            while let block = input.capture.read() { samples += block.samples }
            return samples
        }
        _ = try captured()
        #expect(try captured().allSatisfy { $0 == 0 } && session.isActive && input.isRunning)
        try stage.host.setMicrophoneMuted(false)
        _ = try captured()
        #expect(try captured().allSatisfy { $0 == 1 })
    }

    @Test("HINT-1: a session of category playAndRecord that only records gives no hint")
    func recordingIsNoOtherAudio() throws {
        stage.host.setRecordPermission(.granted)
        let (_, input) = try recording(.mixWithOthers)
        let game = try stage.session(.ambient)
        try game.setActive(true)
        #expect(input.isRunning && !game.isOtherAudioPlaying && !game.secondaryAudioShouldBeSilencedHint)
    }

    @Test("INT-10: with overrideMutedMicrophoneInterruption, input continues with zeros, and resumes automatically")
    func override() throws {
        stage.host.setRecordPermission(.granted)
        let (session, input) = try recording(.overrideMutedMicrophoneInterruption)
        try stage.host.setMicrophoneMuted(true)
        _ = try capture(input)
        #expect(try capture(input).allSatisfy { $0 == 0 } && session.isActive && input.isRunning)
        try stage.host.setMicrophoneMuted(false)
        _ = try capture(input)
        #expect(try capture(input).allSatisfy { $0 == 1 })
    }

    @Test("ACT-14: an activation requested during a call is granted when the call ends, reported, and audible")
    func delayedGrant() throws {
        let session = try stage.session()
        let samples = Signal.counting(frames: 20_000)
        try stage.play(samples, in: session)
        try stage.host.ring()
        #expect(try !session.requestActivation())
        #expect(session.explain() == ["session \(session.id) is inactive by ACT-14"])
        try stage.host.declineCall()
        stage.host.settle()
        #expect(session.isActive)
        #expect(try stage.render(2_000)[400...].contains { $0 != 0 })
    }
}
