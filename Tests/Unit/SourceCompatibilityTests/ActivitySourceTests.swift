import AVFoundation
import Foundation
import Testing

// Source code in the style of 2026, with Swift concurrency. The main test is that this file
// compiles.

/// An app's audio code in the style of 2026. Code that needs a server is only compiled.
@MainActor private final class Model {
    private(set) var words: [String] = []
    private var tokens: [NotificationCenter.ObservationToken] = []
    let session = AVAudioSession.sharedInstance()

    func observe() {
        let center = NotificationCenter.default
        tokens = [
            center.addObserver(of: session, for: AVAudioSession.DidBecomeActiveMessage.self) { [weak self] _ in
                self?.words.append("active")
            },
            center.addObserver(of: session, for: AVAudioSession.DidBecomeInactiveMessage.self) { [weak self] message in
                switch message.deactivationResult {
                case .appDeactivated: self?.words.append("deactivated")
                case .systemInterruption(let context): self?.words.append("interrupted \(context.reason == .default)")
                }
            },
            center.addObserver(of: session, for: .resumptionRecommendation) { [weak self] message in
                self?.words.append(message.recommendation == .shouldResume ? "resume" : "stay")
            },
        ]
    }

    func play() async throws {
        try session.setCategory(.playback, mode: .moviePlayback)
        guard try await session.activate() else { return }
        try await session.activate(options: [])
        _ = try await session.deactivate(options: .notifyOthersOnDeactivation)
        session.activate { isActive, error in print(isActive, error as Any) }
        session.deactivate(options: [.notifyOthersOnDeactivation]) { _, _ in }
    }
}

@Suite("Source written for the iOS SDK of 2026", .timeLimit(.minutes(1)))
struct ActivitySourceTests {
    @Test("INT-11: an app's observers of messages")
    @MainActor func messages() {
        let model = Model()
        model.observe()
        let center = NotificationCenter.default
        center.post(AVAudioSession.DidBecomeActiveMessage(), subject: model.session)
        let context = AVAudioSession.DeactivationContext(cause: .interruption(.default))
        center.post(AVAudioSession.DidBecomeInactiveMessage(context), subject: model.session)
        let advice = AVAudioSession.ResumptionContext(recommendation: .shouldResume)
        center.post(AVAudioSession.ResumptionRecommendationMessage(advice), subject: model.session)
        #expect(model.words == ["active", "interrupted true", "resume"])
    }

    @Test("INT-11: an app's observer of the notification unpacks the context")
    func context() throws {
        let note = Notification(
            name: AVAudioSession.didBecomeInactiveNotification, object: nil,
            userInfo: [
                AVAudioSession.deactivationContextKey: AVAudioSession.DeactivationContext(cause: .app)
            ])
        let key = AVAudioSession.deactivationContextKey
        let context = try #require(note.userInfo?[key] as? AVAudioSession.DeactivationContext)
        #expect(context.source == .app && context.interruptionContext == nil)
        let byDuck = AVAudioSession.DeactivationContext(cause: .duckLimit)
        #expect(byDuck.source == .app && byDuck.cause == .duckLimit)
        let options: AVAudioSessionDeactivationOptions = .notifyOthersOnDeactivation
        #expect(options.rawValue == 1 && AVAudioSessionActivationOptions().isEmpty)
    }

    @Test("ACT-10: deactivating an inactive session, awaited, needs no server")
    func deactivate() async throws {
        #expect(try await AVAudioSession.sharedInstance().deactivate())
    }

    @Test("An app's loop over a sequence of notifications")
    func notifications() async throws {
        let session = AVAudioSession.sharedInstance()
        let center = NotificationCenter.default
        let name = Notification.Name("test.\(UUID())")
        let sequence = center.notifications(named: name, object: session)
        var first = sequence.makeAsyncIterator()
        var second = sequence.map { $0.userInfo?["number"] as? Int }.makeAsyncIterator()
        center.post(name: name, object: nil, userInfo: ["number": 0])
        for number in 1...3 { center.post(name: name, object: session, userInfo: ["number": number]) }
        for number in 1...3 {
            #expect(await first.next()?.userInfo?["number"] as? Int == number, "of this object only, in order")
            #expect(await second.next() == number)
        }
    }

    @Test("A sequence of notifications ends with its task, and the notification center releases it")
    func notificationsEnd() async throws {
        let center = NotificationCenter()
        let name = Notification.Name("test.\(UUID())")
        weak var held: Held?
        let task: Task<Void, Never>
        do {
            let object = Held()
            held = object
            let (begun, begin) = AsyncStream<Void>.makeStream()
            task = Task { [weak object] in
                guard let sequence = object.map({ center.notifications(named: name, object: $0) }) else { return }
                var iterator = sequence.makeAsyncIterator()
                begin.yield()
                while await iterator.next() != nil {}
            }
            for await _ in begun { break }
        }
        task.cancel()
        await task.value
        #expect(held == nil)
    }

    private final class Held: Sendable {}
}
