import AudioPlayback
import AudioRendering
import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-2, recording controlled by the user, and GUIDE-9.
@Suite struct RecorderTests {
    private static let (recorder, game) = (0, 1)

    /// Two apps and a microphone.
    private struct Scene {
        let device: Device
        let session: AudioSession
        let screen = Screen<Recorder.Display>()
        let recorder: Recorder
        let scenario: Scenario
        let sound = Signal.counting(frames: 2_400)

        init() throws {
            device = try Device(apps: 2, microphones: 1)
            session = try device.session(of: RecorderTests.recorder)
            recorder = try Recorder(session: session, path: device.path("take.wav"), display: screen.show)
            scenario = Scenario(session)
        }

        /// Renders the sound at the microphone.
        func take() throws { _ = try device.render(sound.count, microphone: sound) }

        /// Ends the recording. Describes the first difference between it and the sound, repeated
        /// `count` times; a recording that was interrupted also has the fade-out.
        func differs(from count: Int, interrupted: Bool = false) throws -> String? {
            try recorder.stop()
            guard let file = recorder.files.first, recorder.files.count == 1 else { return "\(recorder.files)" }
            let samples = try SoundFile.read(file.path.description).planes[0]
            let expected = Array(repeatElement(sound, count: count).joined())
            guard samples.count == expected.count || interrupted && samples.count > expected.count else {
                return "\(samples.count) frames are not \(expected.count)"
            }
            return Signal.firstDifference(samples[Device.fade..<expected.count], expected[Device.fade...])
        }
    }

    @Test(
        "GUIDE-2: a recorder starts at the button, keeps others audible with playAndRecord, and survives interruptions"
    )
    func recording() throws {
        let scene = try Scene()
        let (device, recorder) = (scene.device, scene.recorder)
        let effect = try device.buffer(of: Self.game, [Float](repeating: 0.25, count: 48_000))
        let other = try device.session(of: Self.game)
        try other.setCategory(.ambient)
        try other.setActive(true)
        try other.engine.play(.buffer(effect), on: other.bus)

        // "Wait for the user to press the record button before activating."
        try scene.take()
        #expect(!scene.session.isActive && recorder.files.isEmpty)
        // "Ask the user for permission to record input using requestRecordPermission. Don't rely on
        // the operating system to prompt the user." As long as the answer is no, nothing starts.
        let asked = device.user(of: Self.recorder, allows: false)
        recorder.record()
        try scene.take()
        #expect(asked.noted.count == 1 && scene.screen.displays == [.notAllowed])
        #expect(!scene.session.isActive && recorder.files.isEmpty)
        device.app(Self.recorder).setRecordPermission(.granted)

        // "Use playAndRecord instead of record, which silences virtually all system output."
        recorder.record()
        var heard = try device.render(2_400, microphone: scene.sound)
        #expect(heard[Self.game].samples.allSatisfy { $0 == 0.25 })
        #expect(try scene.differs(from: 1) == nil)
        #expect(!scene.session.isActive && scene.screen.shows(.stopped))
        let strict = try device.session(of: Self.recorder)
        try strict.setCategory(.record)
        try strict.setActive(true)
        heard = try device.render(2_400)
        #expect(heard[Self.game].fallsSilent)
        try strict.setActive(false)

        // Interrupted: the recording is kept, the display is updated, and recording does not
        // restart on its own.
        recorder.record()
        try scene.take()
        try device.system.ring()
        try scene.take()
        #expect(scene.screen.shows(.paused))
        try device.system.declineCall()
        try scene.take()
        #expect(!scene.session.isActive && scene.screen.now == .paused)
        #expect(scene.scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])
        #expect(try scene.differs(from: 1, interrupted: true) == nil)
    }

    @Test(
        "GUIDE-2, figure 5-1: another device ends a recording, which is kept; its own category change does not"
    )
    func routes() throws {
        let scene = try Scene()
        let (device, recorder) = (scene.device, scene.recorder)
        device.app(Self.recorder).setRecordPermission(.granted)
        for change in [AudioSession.RouteChangeReason.newDeviceAvailable, .oldDeviceUnavailable] {
            recorder.record()
            try scene.take()
            #expect(scene.screen.now == .recording)
            if change == .newDeviceAvailable {
                try device.system.plug("Headset", type: .headphones, inputs: 1)
            } else {
                try device.system.unplug("Headset")
            }
            #expect(scene.screen.shows(.stopped))
            // The scenario observes the session after the recorder, so it notes the change later.
            device.settle()
            #expect(scene.scenario.routeChanges.last == change)
            try scene.take()
            #expect(try scene.differs(from: 1) == nil)
        }
        #expect(scene.scenario.routeChanges == [.categoryChange, .newDeviceAvailable, .oldDeviceUnavailable])
    }

    @Test(
        "GUIDE-9: do-not-disturb keeps ringing from a recording, not an accepted call, an alarm or the assistant"
    )
    func quietRecording() throws {
        let scene = try Scene()
        let (device, recorder) = (scene.device, scene.recorder)
        recorder.record()
        try scene.take()
        try device.system.setDoNotDisturb(true)
        try device.system.ring()
        try scene.take()
        try device.system.declineCall()
        try scene.take()
        #expect(scene.scenario.interruptions.isEmpty && scene.screen.displays == [.recording], "it was not notified")

        // "iOS always gives priority to the phone, and to certain alarms."
        try device.system.ring()
        try scene.take()
        try device.system.acceptCall()
        try scene.take()
        #expect(scene.scenario.interruptions == [.interruptionBegan(.default)] && scene.screen.shows(.paused))
        try device.system.endCall()
        device.settle()
        #expect(try scene.differs(from: 4, interrupted: true) == nil && scene.screen.shows(.stopped))
        recorder.record()
        device.settle()
        try device.system.beginInterruption(by: .alarm)
        device.settle()
        #expect(scene.scenario.interruptions.count == 3 && scene.screen.shows(.paused))
        try device.system.endInterruption()

        // The user asked for the assistant.
        recorder.record()
        device.settle()
        try device.system.beginInterruption(by: .assistant)
        device.settle()
        #expect(scene.scenario.interruptions.count == 5 && scene.screen.shows(.paused))
        try device.system.endInterruption()

        // When do-not-disturb is turned off, a held call rings.
        recorder.record()
        device.settle()
        try device.system.ring()
        device.settle()
        #expect(scene.screen.now == .recording)
        try device.system.setDoNotDisturb(false)
        device.settle()
        #expect(scene.screen.shows(.paused) && scene.session.state.activity == .interrupted)
    }
}
