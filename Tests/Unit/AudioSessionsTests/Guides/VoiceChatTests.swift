import AudioRendering
import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-3: voice chat. Not in this release, and so not tested: voice processing (echo
/// cancellation, gain control) and the volume view.
@Suite struct VoiceChatTests {
    private static let (chat, music) = (0, 1)

    @Test(
        "GUIDE-3: active during a call, in the background too; interrupted, it waits for the user; then music resumes"
    )
    func call() throws {
        let (chat, music) = (Self.chat, Self.music)
        let device = try Device(apps: 2, microphones: 1)
        let player = try Player(session: device.session(of: music), path: device.programme(of: music)) { _ in }
        try player.play()
        let session = try device.session(of: chat)
        let screen = Screen<VoiceChat.Display>()
        let voiceChat = try VoiceChat(session: session, display: screen.show)
        let scenario = Scenario(session)

        // "Only activate an audio session when the user answers or initiates a call": an idle app
        // interrupts no other.
        #expect(try device.render(4_800)[music].differs(from: 0) == nil)
        #expect(!session.isActive)
        // "Ask the user for permission to record input using requestRecordPermission. Don't rely on
        // the operating system to prompt the user": long before the first call.
        let asked = device.user(of: chat, allows: true)
        voiceChat.signedIn()
        device.settle()
        #expect(asked.noted.count == 1 && !session.isActive)

        let farEnd = try device.buffer(of: chat, Signal.counting(frames: 96_000))
        try voiceChat.talk(with: .buffer(farEnd))
        let spoken = Signal.counting(frames: 2_400)
        var heard = try device.render(2_400, microphone: spoken)
        #expect(heard[chat].differs(from: 0) == nil && heard[music].fallsSilent, "they do not mix with others")
        #expect(voiceChat.takeInput() == spoken)
        #expect(screen.displays == [.talking])

        // "Ensure that the audio background flag is set."
        try device.app(chat).setDeclaresBackgroundAudio(true)
        try device.app(chat).setApplicationState(.background)
        #expect(try device.render(2_400)[chat].differs(from: 2_400) == nil)
        try device.app(chat).setApplicationState(.foreground)
        _ = voiceChat.takeInput()

        // "Ignore all route changes", apart from values that depend on the route (see `roundTrip`).
        try device.system.plug("Headphones", type: .headphones)
        #expect(try device.render(2_400)[chat].differs(from: 4_800) == nil)
        #expect(scenario.routeChanges.last == .newDeviceAvailable && session.isActive)

        // "Update the UI to reflect that the call's audio has been interrupted."
        try device.system.ring()
        try device.system.acceptCall()
        heard = try device.render(2_400, microphone: spoken)
        #expect(heard[chat].fallsSilent && screen.now == .interrupted)
        _ = voiceChat.takeInput()  // input until it fell silent
        _ = try device.render(2_400, microphone: spoken)
        #expect(voiceChat.takeInput().isEmpty, "nothing is captured")
        // "Do not activate an audio session after an interruption until the user answers or
        // initiates a call."
        try device.system.endCall()
        #expect(try device.render(2_400)[chat].isSilent)
        #expect(!session.isActive && voiceChat.takeInput().isEmpty)
        #expect(scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])
        try voiceChat.talk(with: .buffer(farEnd))
        heard = try device.render(2_400, microphone: spoken)
        #expect(heard[chat].differs(fadingInFrom: 7_200 + Device.fade) == nil && !voiceChat.takeInput().isEmpty)

        // "Deactivate the audio session after a call ends using notifyOthersOnDeactivation."
        try voiceChat.hangUp()
        heard = try device.render(2_400)
        #expect(heard[chat].fallsSilent && heard[music].differs(fadingInFrom: 4_800 + Device.fade) == nil)
        #expect(!session.isActive && screen.now == .idle && voiceChat.takeInput().isEmpty)
    }

    @Test("GUIDE-3, INT-10: closing the lid ends the call; opened again, it does not record on its own")
    func microphoneMuted() throws {
        let device = try Device(apps: 1, microphones: 1, settings: .interruptingMicrophone)
        device.app(Self.chat).setRecordPermission(.granted)
        let session = try device.session(of: Self.chat)
        let screen = Screen<VoiceChat.Display>()
        let voiceChat = try VoiceChat(session: session, display: screen.show)
        let scenario = Scenario(session)
        try voiceChat.talk(with: .buffer(device.buffer(of: Self.chat, Signal.counting(frames: 48_000))))
        let spoken = Signal.counting(frames: 2_400)
        _ = try device.render(2_400, microphone: spoken)
        #expect(!voiceChat.takeInput().isEmpty)

        // "Ignore all route changes": headphones pulled out do not end a conversation.
        try device.system.plug("Headphones", type: .headphones)
        try device.system.unplug("Headphones")
        #expect(try device.render(2_400, microphone: spoken)[Self.chat].differs(from: 2_400) == nil)
        #expect(voiceChat.takeInput() == spoken && session.isActive)

        // Guidelines on audio (the newest): "make sure that a VoIP app ends the call" when the lid
        // mutes the microphone, since resuming "risks re-enabling the microphone without people
        // knowing".
        try device.system.setMicrophoneMuted(true)
        var heard = try device.render(2_400, microphone: spoken)
        #expect(heard[Self.chat].fallsSilent && screen.displays == [.talking, .idle])
        try device.system.setMicrophoneMuted(false)
        heard = try device.render(2_400, microphone: spoken)
        #expect(heard[Self.chat].isSilent && voiceChat.takeInput().isEmpty && !session.isActive)
        #expect(scenario.interruptions.first == .interruptionBegan(.builtInMicMuted))
    }

    @Test("GUIDE-3, INT-10: muted during an interruption, the call resumes only once the microphone is unmuted")
    func mutedWhileInterrupted() throws {
        let device = try Device(apps: 1, microphones: 1, settings: .interruptingMicrophone)
        device.app(Self.chat).setRecordPermission(.granted)
        let session = try device.session(of: Self.chat)
        let screen = Screen<VoiceChat.Display>()
        let voiceChat = try VoiceChat(session: session, display: screen.show)
        let farEnd = try device.buffer(of: Self.chat, Signal.counting(frames: 48_000))
        try voiceChat.talk(with: .buffer(farEnd))
        let spoken = Signal.counting(frames: 2_400)
        _ = try device.render(2_400, microphone: spoken)
        try device.system.ring()
        try device.system.acceptCall()
        _ = try device.render(2_400, microphone: spoken)
        try device.system.setMicrophoneMuted(true)
        try device.system.endCall()
        _ = voiceChat.takeInput()

        #expect(throws: AudioSessionError.self) { try voiceChat.talk(with: .buffer(farEnd)) }
        #expect(!session.isActive && screen.now == .interrupted)
        try device.system.setMicrophoneMuted(false)
        try voiceChat.talk(with: .buffer(farEnd))
        _ = try device.render(2_400, microphone: spoken)
        #expect(screen.now == .talking && !voiceChat.takeInput().isEmpty)
    }

    /// A host with a headset, whose user has granted permission, and a voice of 2,400 frames.
    private func headset() throws -> (OfflineDriver, AudioSession, VoiceSource) {
        let driver = OfflineDriver(sampleRate: 48_000, channels: 4, inputChannels: 2, periodFrames: 256)
        driver.plug(.headset("Old"), latencyFrames: 480)
        let host = AudioSessionHost(driver: driver, settings: .interruptingMicrophone)
        host.setRecordPermission(.granted)
        let voice = try AudioBuffer([[Float](repeating: 0.1, count: 2_400)])
        return (driver, try AudioSession(host: host), .buffer(voice))
    }

    @Test("GUIDE-3: the round-trip latency follows the route and the period")
    func roundTrip() throws {
        let (driver, session, voice) = try headset()
        let voiceChat = try VoiceChat(session: session) { _ in }
        try voiceChat.talk(with: voice)
        session.host.settle()
        #expect(voiceChat.deviceDelay == 2 * 480.0 / 48_000)
        // "Query values such as sample rate, buffer duration and latency" after a route change.
        driver.plug(.headset("New"), firstOutput: 2, firstInput: 1, latencyFrames: 960)
        session.host.settle()
        #expect(voiceChat.deviceDelay == 2 * 960.0 / 48_000)
        // Another period, as another app may request it: the server reports other latencies.
        driver.plug(.headset("New"), firstOutput: 2, firstInput: 1, latencyFrames: 1_440)
        #expect(try driver.requestPeriod(frames: 512) == 512)
        session.host.settle()
        #expect(voiceChat.deviceDelay == 2 * 1_440.0 / 48_000)
    }

    @Test("GUIDE-3: without a call, the session is inactive: after a failed start, and after a voice that had ended")
    func failures() throws {
        let (driver, session, voice) = try headset()
        let screen = Screen<VoiceChat.Display>()
        let voiceChat = try VoiceChat(session: session, display: screen.show)
        try session.host.setMicrophoneMuted(true)
        #expect(throws: AudioSessionError.self) { try voiceChat.talk(with: voice) }
        #expect(!session.isActive && screen.displays.isEmpty)
        try session.host.setMicrophoneMuted(false)
        try voiceChat.talk(with: voice)
        try driver.render(frames: 9_600)
        session.host.settle()
        try voiceChat.hangUp()
        #expect(!session.isActive && screen.now == .idle)
    }
}
