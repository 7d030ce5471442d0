import AudioPlayback
import AudioRendering
import AudioSessions
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// Captures: when and how they configure the session (PLAY-5).
@Suite(.timeLimit(.minutes(2))) struct AudioCaptureTests {
    private let driver: OfflineDriver
    private let host: AudioSessionHost
    private let session: AudioSession

    init() throws {
        driver = OfflineDriver(sampleRate: 48_000, channels: 1, inputChannels: 1, periodFrames: 256)
        host = AudioSessionHost(driver: driver, settings: ArbiterSettings())
        host.setRecordPermission(.granted)
        session = try AudioSession(host: host)
    }

    private func render(_ input: [Float]) throws {
        host.settle()
        _ = try driver.render(frames: input.count, inputs: [input])
        host.settle()
    }

    /// Reads all frames that wait.
    private func captured(_ capture: AudioCapture) -> [Float] {
        var samples: [Float] = []
        while let block = capture.read() { samples += block.samples }
        return samples
    }

    private struct Settings: Equatable {
        var category: AudioSession.Category
        var mode: AudioSession.Mode
        var options: AudioSession.CategoryOptions
    }

    private var settings: Settings {
        Settings(category: session.category, mode: session.mode, options: session.categoryOptions)
    }

    @Test("PLAY-5: a capture configures the session when it starts to use the microphone, not before")
    func configures() throws {
        let before = settings
        let capture = try AudioCapture(session: session)
        #expect(settings == before && !session.isActive && capture.automaticallyConfiguresSession)
        try capture.start()
        #expect(
            settings
                == Settings(
                    category: .playAndRecord, mode: .videoRecording, options: [.defaultToSpeaker, .allowBluetoothHFP]))
        #expect(session.isActive && capture.isRunning)
        let input = Signal.counting(frames: 2_048)
        try render(input)
        #expect(
            Signal.firstDifference(captured(capture).dropFirst(240), input.dropFirst(240)) == nil, "after the fade-in")
        capture.stop()
        #expect(!capture.isRunning && session.category == .playAndRecord && session.isActive, "the session stays")
    }

    @Test("PLAY-5: an app chooses the mode and the options")
    func configuration() throws {
        var configuration = AudioCapture.Configuration()
        (configuration.mode, configuration.options) = (.measurement, .mixWithOthers)
        try AudioCapture(session: session, configuration: configuration).start()
        #expect(settings == Settings(category: .playAndRecord, mode: .measurement, options: .mixWithOthers))
    }

    @Test("PLAY-5: if the app forbids that, it uses the session as it is, and alters nothing")
    func manual() throws {
        try session.setCategory(.record, mode: .measurement)
        let before = settings
        let capture = try AudioCapture(session: session)
        capture.automaticallyConfiguresSession = false
        try capture.start()
        #expect(settings == before && capture.isRunning && session.isActive)
        capture.stop()
        #expect(settings == before)
    }

    @Test("PLAY-5: if the app forbids that, it refuses to start in a category without input, and alters nothing")
    func manualWithoutInput() throws {
        try session.setCategory(.playback, options: .mixWithOthers)
        let before = settings
        let capture = try AudioCapture(session: session)
        capture.automaticallyConfiguresSession = false
        let error = #expect(throws: AudioSessionError.self) { try capture.start() }
        #expect(error?.description.contains("input") == true)
        #expect(settings == before && !capture.isRunning && !session.isActive)
    }

    @Test("PLAY-5: a start that is refused leaves the configuration as it was")
    func refused() throws {
        try session.setCategory(.playback, mode: .moviePlayback, options: .mixWithOthers)
        let before = settings
        try host.beginInterruption(by: .call)
        let capture = try AudioCapture(session: session)
        #expect(throws: AudioSessionError.self) { try capture.start() }
        #expect(settings == before && !capture.isRunning)
        try host.endInterruption()
        try capture.start()
        #expect(session.category == .playAndRecord && capture.isRunning)
    }

    @Test("PLAY-5: a start that is refused in an active session that mixes has interrupted nobody")
    func refusedWhileActive() throws {
        var settings = ArbiterSettings()
        settings.policy.mutedMicrophoneInterrupts = true
        let host = AudioSessionHost(
            driver: OfflineDriver(sampleRate: 48_000, channels: 1, inputChannels: 1, periodFrames: 256),
            settings: settings)
        let (session, music) = (
            try AudioSession(host: host), try AudioSession(host: AudioSessionHost(app: 7, sharing: host))
        )
        try music.setCategory(.playback)
        try music.setActive(true)
        try session.setCategory(.ambient)
        try session.setActive(true)
        try host.setMicrophoneMuted(true)
        let capture = try AudioCapture(session: session)
        #expect(throws: AudioSessionError.self) { try capture.start() }
        #expect(music.isActive && session.category == .ambient && !capture.isRunning)
        try host.setMicrophoneMuted(false)
        try session.setActive(true)
        try capture.start()
        #expect(!music.isActive && session.categoryOptions == [.defaultToSpeaker, .allowBluetoothHFP])
    }

    @Test("PLAY-5: a refused start restores the options that the app requested, not those that its mode implied")
    func impliedOptions() throws {
        try session.setCategory(.playAndRecord, mode: .voiceChat)
        #expect(session.categoryOptions == .allowBluetoothHFP)
        try host.beginInterruption(by: .call)
        #expect(throws: AudioSessionError.self) { try AudioCapture(session: session).start() }
        try session.setMode(.default)
        #expect(session.categoryOptions == [])
    }

    @Test("PLAY-5, INT-10: after an interruption, start() starts it again in the configured session")
    func interrupted() throws {
        let capture = try AudioCapture(session: session)
        try capture.start()
        try host.beginInterruption(by: .call)
        try render([Float](repeating: 0.5, count: 1_024))
        _ = captured(capture)
        try render([Float](repeating: 0.5, count: 1_024))
        #expect(captured(capture).allSatisfy { $0 == 0 }, "nothing is captured during a call")
        try host.endInterruption()
        host.settle()
        try capture.start()
        try render([Float](repeating: 0.5, count: 1_024))
        #expect(captured(capture).last == 0.5)
    }

    @Test("Starting twice is starting once")
    func twice() throws {
        let capture = try AudioCapture(session: session)
        try capture.start()
        let decisions = host.arbiter.decisions.count
        try capture.start()
        #expect(host.arbiter.decisions.count == decisions && capture.isRunning)
        capture.stop()
        capture.stop()
        #expect(!capture.isRunning)
    }
}
