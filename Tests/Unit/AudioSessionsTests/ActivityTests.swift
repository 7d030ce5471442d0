import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// The newer activity notifications, alongside the older interruption notification.
@Suite struct ActivityTests {
    /// Records every notification of activity and interruption that a session posts, as one word
    /// each.
    private final class Scenario: @unchecked Sendable {
        // Only init and deinit access the tokens.
        let words = EventLog<String>()
        private var tokens: [any NSObjectProtocol] = []

        init(of session: AudioSession) {
            let names = [
                AudioSession.interruptionNotification, AudioSession.didBecomeActiveNotification,
                AudioSession.didBecomeInactiveNotification, AudioSession.resumptionRecommendationNotification,
            ]
            tokens = names.map { name in
                NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { [words] note in
                    words.note(Self.word(note))
                }
            }
        }

        deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

        private static func word(_ note: Notification) -> String {
            let info = note.userInfo ?? [:]
            switch note.name {
            case AudioSession.interruptionNotification:
                return info[AudioSessionInterruptionTypeKey] as? UInt == 1 ? "began" : "ended"
            case AudioSession.didBecomeActiveNotification: return "active"
            case AudioSession.didBecomeInactiveNotification:
                let context = info[AudioSession.deactivationContextKey] as? AudioSession.DeactivationContext
                let reason = context?.interruptionContext.map { ", reason \($0.reason.rawValue)" } ?? ""
                return "inactive by \(context.map { "\($0.source)" } ?? "nobody")\(reason)"
            default:
                let context = info[AudioSession.resumptionContextKey] as? AudioSession.ResumptionContext
                return context.map { "\($0.recommendation)" } ?? "no recommendation"
            }
        }
    }

    @Test("INT-11: older and newer notifications are consistent, in one order, and each is posted once")
    func oneScenario() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let scenario = Scenario(of: session)
        try session.setActive(true)
        try session.setActive(true)
        try session.setCategory(.playback, options: .duckOthers)
        try stage.host.ring()
        try stage.host.declineCall()
        try session.setActive(true)
        try stage.host.beginInterruption(by: .alarm)
        try stage.host.endInterruption(shouldResume: false)
        try session.setActive(false)
        try session.setActive(true)
        try session.setActive(false)
        try session.setActive(false)
        try stage.drain()
        #expect(
            scenario.words.noted == [
                "active", "began", "inactive by system, reason 0", "ended", "shouldResume",
                "active", "began", "inactive by system, reason 0", "ended", "shouldNotResume",
                "active", "inactive by app",
            ])
    }

    @Test("INT-5, INT-11: a session that activates again while interrupted becomes active, without an end")
    func activatedAgain() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let interrupter = try stage.session(.playback)
        let scenario = Scenario(of: session)
        try session.setActive(true)
        try interrupter.setActive(true)
        try session.setActive(true)
        try stage.drain()
        #expect(scenario.words.noted == ["active", "began", "inactive by system, reason 0", "active"])
    }

    @Test("BG-1, BG-3, INT-11: background and suspension are reported once, as caused by the system, with their kind")
    func background() throws {
        var settings = ArbiterSettings()
        settings.policy.notifiesSuspension = true
        let stage = HostFixture(settings: settings)
        let session = try stage.session(.playback)
        let scenario = Scenario(of: session)
        let causes = EventLog<AudioSession.DeactivationCause?>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.didBecomeInactiveNotification, object: session, queue: nil
        ) { note in
            let context = note.userInfo?[AudioSession.deactivationContextKey] as? AudioSession.DeactivationContext
            causes.note(context?.cause)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let player = Participant(session) { scenario.words.note($0) }
        try session.setActive(true)
        player.run(true)
        try stage.host.setApplicationState(.background)
        try stage.drain()
        try stage.host.setApplicationState(.foreground)
        try session.setActive(true)
        try stage.host.setApplicationState(.suspended)
        try stage.host.setApplicationState(.foreground)
        try stage.drain()
        #expect(
            scenario.words.noted == [
                "active", "stopped", "inactive by system, reason 0", "active", "stopped",
                "inactive by system, reason 1", "paused", "began",
            ], "players stop before the app is notified")
        #expect(causes.noted == [.background, .suspension])
    }

    @Test("ACT-14, INT-11: a delayed grant is reported like any other activation")
    func delayedGrant() throws {
        let stage = HostFixture()
        let session = try stage.session(.playAndRecord)
        let scenario = Scenario(of: session)
        try stage.host.ring()
        #expect(try !session.requestActivation())
        try stage.host.declineCall()
        try stage.drain()
        #expect(scenario.words.noted == ["active"] && session.isActive)
    }

    @MainActor @Test("INT-11: messages arrive on the main actor, each once, in the order of the notifications")
    func messages() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let (words, heard) = AsyncStream<String>.makeStream()
        let center = NotificationCenter.default
        let tokens = [
            center.addObserver(of: session, for: .didBecomeActive) { _ in heard.yield("active") },
            center.addObserver(of: session, for: .didBecomeInactive) { message in
                switch message.deactivationResult {
                case .appDeactivated: heard.yield("inactive by app")
                case .systemInterruption(let context): heard.yield("interrupted, reason \(context.reason.rawValue)")
                }
            },
            center.addObserver(of: session, for: .resumptionRecommendation) { heard.yield("\($0.recommendation)") },
        ]
        try session.setActive(true)
        try stage.host.ring()
        try stage.host.declineCall()
        try session.setActive(true)
        try session.setActive(false)
        let expected = ["active", "interrupted, reason 0", "shouldResume", "active", "inactive by app"]
        var noted: [String] = []
        for await word in words {
            noted.append(word)
            if noted.count == expected.count { break }
        }
        #expect(noted == expected)
        withExtendedLifetime(tokens) {}
    }

    @Test("Messages are converted from and to notifications, with their payload")
    @MainActor func bridging() throws {
        let left = AudioSession.DidBecomeInactiveMessage(.init(cause: .interruption(.routeDisconnected)))
        let note = AudioSession.DidBecomeInactiveMessage.makeNotification(left)
        #expect(note.name == AudioSession.didBecomeInactiveNotification)
        let back = try #require(AudioSession.DidBecomeInactiveMessage.makeMessage(note))
        guard case .systemInterruption(let context) = back.deactivationResult else {
            Issue.record("the interruption is lost")
            return
        }
        #expect(context.reason == .routeDisconnected)
        let advice = AudioSession.ResumptionRecommendationMessage(.init(recommendation: .shouldNotResume))
        let advised = AudioSession.ResumptionRecommendationMessage.makeNotification(advice)
        #expect(
            AudioSession.ResumptionRecommendationMessage.makeMessage(advised)?.recommendation == .shouldNotResume)
        #expect(AudioSession.DidBecomeInactiveMessage.makeMessage(advised) == nil)
    }

    @Test("ACT-12: messages without an observer keep no session alive")
    @MainActor func notifierKeepsNobody() throws {
        // This test occupies the main thread: posted messages are delivered after it.
        let stage = HostFixture()
        weak var gone: AudioSession?
        do {
            let session = try stage.session(.playback)
            gone = session
            for _ in 0..<2_000 {
                try session.setActive(true)
                try session.setActive(false)
            }
            stage.host.settle()
        }
        #expect(gone == nil)
    }
}
