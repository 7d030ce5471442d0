import AudioRendering
import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-2, recording controlled by the user, and GUIDE-9. Not in this release: recording to a file
/// (PLAY-2); recordings stay in memory.
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
            recorder = try Recorder(session: session, display: screen.show)
            scenario = Scenario(session)
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
        _ = try device.render(2_400, microphone: scene.sound)
        #expect(!scene.session.isActive && recorder.samples().isEmpty)
        // "Ask the user for permission to record input using requestRecordPermission. Don't rely on
        // the operating system to prompt the user." As long as the answer is no, nothing starts.
        let asked = device.user(of: Self.recorder, allows: false)
        recorder.record()
        _ = try device.render(2_400, microphone: scene.sound)
        #expect(asked.noted.count == 1 && scene.screen.displays == [.notAllowed])
        #expect(!scene.session.isActive && recorder.samples().isEmpty)
        device.app(Self.recorder).setRecordPermission(.granted)

        // "Use playAndRecord instead of record, which silences virtually all system output."
        recorder.record()
        var heard = try device.render(2_400, microphone: scene.sound)
        #expect(heard[Self.game].samples.allSatisfy { $0 == 0.25 })
        #expect(recorder.samples() == scene.sound)
        try recorder.stop()
        #expect(!scene.session.isActive && scene.screen.now == .stopped)
        let strict = try device.session(of: Self.recorder)
        try strict.setCategory(.record)
        try strict.setActive(true)
        heard = try device.render(2_400)
        #expect(heard[Self.game].fallsSilent)
        try strict.setActive(false)

        // Interrupted: the recording is kept, the display is updated, and recording does not
        // restart on its own.
        recorder.record()
        _ = try device.render(2_400, microphone: scene.sound)
        try device.system.ring()
        _ = try device.render(2_400, microphone: scene.sound)
        #expect(scene.screen.now == .stopped)
        let kept = recorder.samples()
        #expect(kept.starts(with: scene.sound + scene.sound))
        try device.system.declineCall()
        _ = try device.render(2_400, microphone: scene.sound)
        #expect(recorder.samples() == kept && scene.screen.now == .stopped)
        #expect(scene.scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])
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
            _ = try device.render(2_400, microphone: scene.sound)
            #expect(scene.screen.now == .recording)
            let kept = recorder.samples()
            if change == .newDeviceAvailable {
                try device.system.plug("Headset", type: .headphones, inputs: 1)
            } else {
                try device.system.unplug("Headset")
            }
            _ = try device.render(2_400, microphone: scene.sound)
            #expect(scene.scenario.routeChanges.last == change && scene.screen.now == .stopped)
            #expect(recorder.samples() == kept && !kept.isEmpty)
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
        _ = try device.render(2_400, microphone: scene.sound)
        var taken = recorder.samples()
        #expect(Signal.firstDifference(taken[Device.fade...], scene.sound[Device.fade...]) == nil)
        func take() throws {
            _ = try device.render(2_400, microphone: scene.sound)
            taken += scene.sound
            #expect(Signal.firstDifference(recorder.samples(), taken) == nil)
        }
        try device.system.setDoNotDisturb(true)
        try device.system.ring()
        try take()
        try device.system.declineCall()
        try take()
        #expect(scene.scenario.interruptions.isEmpty && scene.screen.displays == [.recording], "it was not notified")

        // "iOS always gives priority to the phone, and to certain alarms."
        try device.system.ring()
        try take()
        try device.system.acceptCall()
        _ = try device.render(2_400, microphone: scene.sound)
        #expect(scene.scenario.interruptions == [.interruptionBegan(.default)] && scene.screen.now == .stopped)
        try device.system.endCall()
        recorder.record()
        device.settle()
        try device.system.beginInterruption(by: .alarm)
        device.settle()
        #expect(scene.scenario.interruptions.count == 3 && scene.screen.now == .stopped)
        try device.system.endInterruption()

        // The user asked for the assistant.
        recorder.record()
        device.settle()
        try device.system.beginInterruption(by: .assistant)
        device.settle()
        #expect(scene.scenario.interruptions.count == 5 && scene.screen.now == .stopped)
        try device.system.endInterruption()

        // When do-not-disturb is turned off, a held call rings.
        recorder.record()
        device.settle()
        try device.system.ring()
        device.settle()
        #expect(scene.screen.now == .recording)
        try device.system.setDoNotDisturb(false)
        device.settle()
        #expect(scene.screen.now == .stopped && scene.session.state.activity == .interrupted)
    }
}
