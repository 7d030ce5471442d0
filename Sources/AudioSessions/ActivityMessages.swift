internal import AudioRendering
internal import Dispatch
public import Foundation

/// The same news as messages, which observers take on the main actor: `addObserver(of: session, for: .didBecomeActive) { … }`.
///
/// They are posted on the main queue, in the order of the notifications of the same names, and each once. An app whose main thread never runs
/// that queue gets none of them; the notifications come all the same.
extension AudioSession {
    /// The session has become active.
    public struct DidBecomeActiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AudioSession
        public static var name: Notification.Name { AudioSession.didBecomeActiveNotification }

        public init() {}

        public static func makeMessage(_ notification: Notification) -> Self? { Self() }
        public static func makeNotification(_ message: Self) -> Notification { Notification(name: name) }
    }

    /// The session is not active any longer.
    public struct DidBecomeInactiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AudioSession
        public static var name: Notification.Name { AudioSession.didBecomeInactiveNotification }

        private let context: DeactivationContext
        /// How its activity ended.
        public var deactivationResult: DeactivationResult {
            context.interruptionContext.map { .systemInterruption($0) } ?? .appDeactivated
        }

        public init(_ context: DeactivationContext) { self.context = context }

        public static func makeMessage(_ notification: Notification) -> Self? {
            (notification.userInfo?[deactivationContextKey] as? DeactivationContext).map(Self.init)
        }
        public static func makeNotification(_ message: Self) -> Notification {
            Notification(name: name, userInfo: [deactivationContextKey: message.context])
        }
    }

    /// An interruption is over.
    public struct ResumptionRecommendationMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AudioSession
        public static var name: Notification.Name { AudioSession.resumptionRecommendationNotification }

        /// Whether to go on.
        public let recommendation: ResumptionRecommendation

        public init(_ context: ResumptionContext) { recommendation = context.recommendation }

        public static func makeMessage(_ notification: Notification) -> Self? {
            (notification.userInfo?[resumptionContextKey] as? ResumptionContext).map(Self.init)
        }
        public static func makeNotification(_ message: Self) -> Notification {
            let context = ResumptionContext(recommendation: message.recommendation)
            return Notification(name: name, userInfo: [resumptionContextKey: context])
        }
    }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AudioSession.DidBecomeActiveMessage> {
    /// Names `AudioSession.DidBecomeActiveMessage`.
    public static var didBecomeActive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AudioSession.DidBecomeInactiveMessage> {
    /// Names `AudioSession.DidBecomeInactiveMessage`.
    public static var didBecomeInactive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AudioSession.ResumptionRecommendationMessage> {
    /// Names `AudioSession.ResumptionRecommendationMessage`.
    public static var resumptionRecommendation: Self { .init() }
}

/// Messages on their way to the main actor. Where nobody runs the main queue the oldest give way, and no session is kept alive.
final class MainActorMail: Sendable {
    private typealias Letter = @MainActor @Sendable (AudioSession) -> Void
    private let pending = Locked<[Letter]>([])

    func post<Message: NotificationCenter.MainActorMessage & Sendable>(_ message: Message, of session: AudioSession)
    where Message.Subject == AudioSession {
        let isFirst = pending.withLock { letters in
            letters.append { NotificationCenter.default.post(message, subject: $0) }
            if letters.count > EventStreams.backlog { letters.removeFirst() }
            return letters.count == 1
        }
        guard isFirst else { return }
        DispatchQueue.main.async { [weak session] in
            guard let session else { return }
            MainActor.assumeIsolated { session.mail.deliver(of: session) }
        }
    }

    @MainActor private func deliver(of session: AudioSession) {
        let letters = pending.withLock { letters in
            defer { letters = [] }
            return letters
        }
        for letter in letters { letter(session) }
    }
}
