import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// The newer notifications beside the older one.
@Suite struct ActivityTests {
    /// Notes every notification of activity and interruption that a session posts, as a word each.
    private final class Story: @unchecked Sendable {
        // Only init and deinit touch the tokens.
        let words = Signpost<String>()
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

    @Test("INT-11: older and newer notifications tell one story in one order, each once")
    func oneStory() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let story = Story(of: session)
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
            story.words.noted == [
                "active", "began", "inactive by system, reason 0", "ended", "shouldResume",
                "active", "began", "inactive by system, reason 0", "ended", "shouldNotResume",
                "active", "inactive by app",
            ])
    }

    @Test("INT-5, INT-11: who activates again while it waits is told active, without an end")
    func activatedAgain() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let rival = try stage.session(.playback)
        let story = Story(of: session)
        try session.setActive(true)
        try rival.setActive(true)
        try session.setActive(true)
        try stage.drain()
        #expect(story.words.noted == ["active", "began", "inactive by system, reason 0", "active"])
    }

    @Test("BG-1, BG-3, INT-11: the background and suspension are the system's doing, told once, and tell which")
    func background() throws {
        var settings = ArbiterSettings()
        settings.policy.tellsSuspension = true
        let stage = HostFixture(settings: settings)
        let session = try stage.session(.playback)
        let story = Story(of: session)
        let causes = Signpost<AudioSession.DeactivationCause?>()
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.didBecomeInactiveNotification, object: session, queue: nil
        ) { note in
            let context = note.userInfo?[AudioSession.deactivationContextKey] as? AudioSession.DeactivationContext
            causes.note(context?.cause)
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let player = Participant(session) { story.words.note($0) }
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
            story.words.noted == [
                "active", "stopped", "inactive by system, reason 0", "active", "stopped",
                "inactive by system, reason 1", "paused", "began",
            ], "players stop, then the app is told")
        #expect(causes.noted == [.background, .suspension])
    }

    @Test("ACT-14, INT-11: a delayed grant is told as every other activation")
    func delayedGrant() throws {
        let stage = HostFixture()
        let session = try stage.session(.playAndRecord)
        let story = Story(of: session)
        try stage.host.ring()
        #expect(try !session.requestActivation())
        try stage.host.declineCall()
        try stage.drain()
        #expect(story.words.noted == ["active"] && session.isActive)
    }

    @MainActor @Test("INT-11: messages come on the main actor, in the order of the notifications and each once")
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

    @Test("Messages are made of notifications and become notifications, with what they carry")
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

    @Test("ACT-12: messages that nobody takes keep no session alive")
    @MainActor func mailKeepsNobody() throws {
        // The main thread is here: what is posted waits behind this test.
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
