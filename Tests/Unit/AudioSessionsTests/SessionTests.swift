import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Declarations as in iOS source code, which must compile unchanged.
private protocol AudioSessionProtocol {
    var category: AudioSession.Category { get }
    var isOtherAudioPlaying: Bool { get }
    func setCategory(_ category: AudioSession.Category) throws
    func setCategory(_ category: AudioSession.Category, options: AudioSession.CategoryOptions) throws
    func setCategory(
        _ category: AudioSession.Category, mode: AudioSession.Mode, options: AudioSession.CategoryOptions) throws
    func setActive(_ active: Bool, options: AudioSession.SetActiveOptions) throws
    func setPreferredIOBufferDuration(_ duration: TimeInterval) throws
}
extension AudioSession: AudioSessionProtocol {}

@Suite struct SessionTests {
    private func error(_ body: () throws -> Void) throws -> AudioSessionError {
        try #require(#expect(throws: AudioSessionError.self, performing: body))
    }

    @Test("CAT-1, CAT-6, MODE-3: a new session's values, and values that are read back")
    func values() throws {
        let session = try HostFixture().session()
        #expect(session.category == .soloAmbient && session.mode == .default && session.categoryOptions == [])
        try session.setCategory(.playAndRecord, mode: .videoChat, options: .mixWithOthers)
        #expect(session.category == .playAndRecord && session.mode == .videoChat)
        #expect(session.categoryOptions == [.mixWithOthers, .allowBluetooth, .defaultToSpeaker])
        try session.setCategory(.playback)
        #expect(session.mode == .default && session.categoryOptions == [])
        try session.setCategory(.playback, mode: .default, policy: .longFormAudio)
        #expect(session.routeSharingPolicy == .longForm)
    }

    @Test("MODE-1, OPT-3: a refused request throws badParam as an NSError and changes nothing")
    func refused() throws {
        let session = try HostFixture().session(.playback)
        let pair = try error { try session.setCategory(.playback, mode: .voiceChat) }
        #expect(pair.errorCode == .badParam && pair.rule == "MODE-1")
        let bridged = pair as NSError
        #expect(bridged.code == -50 && bridged.domain == "NSOSStatusErrorDomain")
        #expect(bridged.localizedDescription.contains("voiceChat"))
        #expect(try error { try session.setCategory(.playback, options: .defaultToSpeaker) }.rule == "OPT-3")
        #expect(try error { try session.setMode(.voiceChat) }.rule == "MODE-1")
        #expect(session.category == .playback && session.mode == .default)
        let unknown = try error { try session.setCategory(AudioSession.Category(rawValue: "Karaoke")) }
        #expect(unknown.errorCode == .badParam && unknown.message.contains("AVAudioSessionCategoryPlayback"))
        let mode = try error { try session.setMode(AudioSession.Mode(rawValue: "Karaoke")) }
        #expect(mode.message.contains("AVAudioSessionModeSpokenAudio"))
    }

    @Test("Every category and mode of the rules has the name that AVAudioSession uses")
    func names() throws {
        let session = try HostFixture(inputChannels: 0).session()
        #expect(session.availableModes.count + 4 == SessionPolicy.Mode.allCases.count, "four need an input")
        for category in session.availableCategories {
            try session.setCategory(category)
            #expect(session.category == category)
        }
        for mode in session.availableModes where ![.default, .dualRoute].contains(mode) {
            try session.setCategory(.playback)
            try session.setMode(mode)
            #expect(session.mode == mode)
        }
    }

    @Test("CAT-7: a device without inputs offers no category that records")
    func available() throws {
        let session = try HostFixture(inputChannels: 0).session()
        #expect(!session.isInputAvailable)
        #expect(!session.availableCategories.contains(.record) && session.availableCategories.contains(.playback))
        #expect(!session.availableModes.contains(.voiceChat))
    }

    @Test("ACT-5: insufficientPriority while a phone rings; INT-6: not for a session that prefers no interruptions")
    func priority() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try stage.host.ring()
        let refusal = try error { try session.setActive(true) }
        #expect(refusal.errorCode == .insufficientPriority && refusal.code == 561_017_449 && refusal.rule == "ACT-5")
        #expect(session.state.activity == .inactive)
        try session.setPrefersNoInterruptionsFromSystemAlerts(true)
        try session.setActive(true)
        #expect(session.prefersNoInterruptionsFromSystemAlerts && session.isActive)
        try stage.host.acceptCall()
        #expect(session.state.activity == .interrupted)
    }

    @Test("HW-1, HW-2, HW-6, ACT-9: preferred values are not facts; the shortest is applied at activation and restored")
    func hardware() throws {
        let stage = HostFixture(channels: 2)
        let first = try stage.session(.playback, options: .mixWithOthers)
        let second = try stage.session(.playback, options: .mixWithOthers)
        #expect(first.sampleRate == 48_000 && first.ioBufferDuration == 256.0 / 48_000)
        #expect(first.outputNumberOfChannels == 2 && first.inputNumberOfChannels == 0)
        try first.setPreferredSampleRate(96_000)
        try first.setPreferredIOBufferDuration(0.005)
        #expect(first.preferredSampleRate == 96_000 && first.preferredIOBufferDuration == 0.005)
        #expect(first.ioBufferDuration == 256.0 / 48_000, "not before activation")
        try first.setActive(true)
        #expect(first.ioBufferDuration == 0.005 && first.sampleRate == 48_000)
        try second.setActive(true)
        try second.setPreferredIOBufferDuration(0.00251)
        #expect(first.ioBufferDuration == 120.0 / 48_000, "rounded to the shorter")
        try second.setActive(false)
        #expect(first.ioBufferDuration == 0.005)
        try first.setPreferredIOBufferDuration(0)
        #expect(first.ioBufferDuration == 256.0 / 48_000, "restored")
    }

    @Test("HW-2: a period that another client has changed is not restored")
    func foreignPeriod() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try session.setPreferredIOBufferDuration(0.005)
        try session.setActive(true)
        _ = try stage.driver.requestPeriod(frames: 512)
        try session.setActive(false)
        #expect(session.ioBufferDuration == 512.0 / 48_000)
    }

    @Test("HW-4: invalid preferred values throw badParam, for a missing input incompatibleCategory; no change")
    func absurd() throws {
        let session = try HostFixture().session(.playback)
        for bad in [-1, .nan, .infinity, 1e12] as [Double] {
            #expect(try error { try session.setPreferredSampleRate(bad) }.errorCode == .badParam)
            #expect(try error { try session.setPreferredIOBufferDuration(bad) }.errorCode == .badParam)
        }
        #expect(try error { try session.setPreferredInputNumberOfChannels(1) }.errorCode == .incompatibleCategory)
        #expect(try error { try session.setPreferredOutputNumberOfChannels(-1) }.errorCode == .badParam)
        #expect(session.preferredSampleRate == 0 && session.preferredIOBufferDuration == 0)
    }

    @Test("ACT-1: without a server nothing is granted or interrupted; a failed start is undone")
    func serverFails() throws {
        let driver = FaultyDriver()
        let host = AudioSessionHost(driver: driver)
        let music = try AudioSession(host: host)
        try music.setCategory(.playback)
        try music.setActive(true)
        let interrupter = try AudioSession(host: host)
        try interrupter.setCategory(.playback)

        driver.openFailure.withLock { $0 = .serverLost }
        let lost = try error { try interrupter.setActive(true) }
        #expect(lost.errorCode == .mediaServicesFailed && lost.underlying as? DriverError == .serverLost)
        #expect(music.isActive && !interrupter.isActive)

        let shortage = DriverError.tooFewDescriptors(free: 12, limit: 1_024, needed: 32)
        driver.openFailure.withLock { $0 = shortage }
        let short = try error { try interrupter.setActive(true) }
        #expect(short.errorCode == .resourceNotAvailable && short.underlying as? DriverError == shortage)
        #expect(music.isActive && !interrupter.isActive)

        driver.openFailure.withLock { $0 = nil }
        driver.startFailure.withLock { $0 = .noServer(name: "x", advice: "start it") }
        #expect(try error { try interrupter.setActive(true) }.errorCode == .resourceNotAvailable)
        #expect(!interrupter.isActive)
        #expect(music.state.activity == .inactive, "it was interrupted, and the end was reported")
    }

    @Test("ACT-7: a setting reports isBusy while players run; they are stopped all the same")
    func busy() throws {
        var settings = ArbiterSettings()
        settings.policy.reportsBusyOnDeactivation = true
        let session = try HostFixture(settings: settings).session(.playback)
        let player = Participant(session)
        try session.setActive(true)
        player.run(true)
        #expect(try error { try session.setActive(false) }.errorCode == .isBusy)
        #expect(!session.isActive && !player.isRunning)
        try session.setActive(false)
    }

    @Test("ACT-12: a session that is released deactivates and notifies others")
    func letGo() throws {
        let stage = HostFixture()
        let music = try stage.session(.playback)
        let listener = NotificationRecorder(AudioSession.interruptionNotification, of: music)
        try music.setActive(true)
        do {
            let interrupter = try stage.session(.playback)
            try interrupter.setActive(true)
        }
        #expect(listener.heard.wait { $0.last?[AudioSessionInterruptionOptionKey] == 1 })
    }

    @Test("VOL-3: the output mute takes effect and is reported")
    func outputMute() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let listener = NotificationRecorder(AudioSession.outputMuteStateChangeNotification, of: session)
        try session.setOutputMuted(true)
        try stage.drain()
        #expect(session.isOutputMuted)
        #expect(listener.heard.noted.map { $0[AudioSession.muteStateKey]?.boolValue } == [true])
    }

    @Test("No bus left: creating a session throws, and other sessions are not affected")
    func tooMany() throws {
        let host = AudioSessionHost(driver: OfflineDriver(), configuration: .init(maximumBuses: 1))
        let first = try AudioSession(host: host)
        #expect(try error { _ = try AudioSession(host: host) }.errorCode == .resourceNotAvailable)
        try first.setActive(true)
    }

    @Test("ACT-13: explain names the rule and the session; the state also says since when")
    func explain() throws {
        let stage = HostFixture()
        let music = try stage.session(.playback)
        #expect(music.explain().first?.contains("ACT-1") == true)
        try music.setActive(true)
        #expect(music.explain().isEmpty)
        let interrupter = try stage.session(.playback)
        let before = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
        try interrupter.setActive(true)
        let reason = try #require(music.state.reasons.first)
        #expect(reason.rule == "ACT-2" && reason.by == interrupter.id && reason.effect == "interrupted")
        #expect(reason.since >= before && reason.since <= Double(DispatchTime.now().uptimeNanoseconds) / 1e9)
        #expect(music.explain() == ["session \(music.id) is interrupted by ACT-2 because of session \(interrupter.id)"])
    }

    @Test("SIM-1: calls in the wrong state throw errors that say what to do")
    func misplaced() throws {
        let stage = HostFixture()
        #expect(try error { try stage.host.declineCall() }.errorCode == .sessionNotActive)
        #expect(try error { try stage.host.endCall() }.errorCode == .sessionNotActive)
        #expect(try error { try stage.host.endInterruption() }.errorCode == .sessionNotActive)
        try stage.host.ring()
        #expect(try error { try stage.host.ring() }.errorCode == .sessionNotActive)
        #expect(try error { try stage.host.setSystemVolume(.nan) }.errorCode == .badParam)
    }
}
