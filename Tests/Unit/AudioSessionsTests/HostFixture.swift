import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

extension ArbiterSettings {
    /// Settings with which the muted microphone interrupts, as a closed lid does (INT-10).
    static var interruptingMicrophone: ArbiterSettings {
        var settings = ArbiterSettings()
        settings.policy.mutedMicrophoneInterrupts = true
        return settings
    }
}

/// A host on the offline driver, in mono: the test acts as the render thread and knows the value of
/// every frame.
struct HostFixture {
    let driver: OfflineDriver
    let host: AudioSessionHost

    init(
        settings: ArbiterSettings = ArbiterSettings(), channels: Int = 1, inputChannels: Int = 1,
        clock: (any SessionClock)? = nil, notificationThread: AudioSessionHost.NotificationThread = .library
    ) {
        driver = OfflineDriver(
            sampleRate: 48_000, channels: channels, inputChannels: inputChannels, periodFrames: 256)
        host = AudioSessionHost(
            driver: driver, settings: settings, clock: clock, notificationThread: notificationThread)
    }

    func session(
        _ category: AudioSession.Category? = nil, mode: AudioSession.Mode = .default,
        options: AudioSession.CategoryOptions = []
    ) throws -> AudioSession {
        let session = try AudioSession(host: host)
        if let category { try session.setCategory(category, mode: mode, options: options) }
        return session
    }

    /// Plays `samples` in a session, starting at the next period.
    @discardableResult
    func play(_ samples: [Float], in session: AudioSession) throws -> Voice {
        let buffer = try AudioBuffer([samples])
        return try session.engine.play(.buffer(buffer), on: session.bus)
    }

    func render(_ frames: Int) throws -> [Float] { try #require(try driver.render(frames: frames).first) }

    /// Returns when all decisions so far have been delivered.
    func drain() throws { try #require(host.arbiter as? InProcessArbiter).drain() }
}
