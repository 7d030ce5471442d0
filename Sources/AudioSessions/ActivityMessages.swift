internal import AudioRendering
internal import Dispatch
public import Foundation
internal import Platform

/// The activity notifications as main-actor messages: `addObserver(of: session, for:
/// .didBecomeActive) { … }`.
///
/// The library posts each message once, on the main queue, in the order of the notifications of the
/// same names. An app whose main thread never runs the main queue receives no messages, but still
/// receives the notifications.
extension AudioSession {
    /// Reports that the session has become active.
    public struct DidBecomeActiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AudioSession
        public static var name: Notification.Name { AudioSession.didBecomeActiveNotification }

        public init() {}

        public static func makeMessage(_ notification: Notification) -> Self? { Self() }
        public static func makeNotification(_ message: Self) -> Notification { Notification(name: name) }
    }

    /// Reports that the session is no longer active.
    public struct DidBecomeInactiveMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AudioSession
        public static var name: Notification.Name { AudioSession.didBecomeInactiveNotification }

        private let context: DeactivationContext
        /// How the session's activity ended.
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

    /// Reports that an interruption has ended.
    public struct ResumptionRecommendationMessage: NotificationCenter.MainActorMessage, Sendable {
        public typealias Subject = AudioSession
        public static var name: Notification.Name { AudioSession.resumptionRecommendationNotification }

        /// Whether the app should resume.
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
    /// Identifies `AudioSession.DidBecomeActiveMessage`.
    public static var didBecomeActive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AudioSession.DidBecomeInactiveMessage> {
    /// Identifies `AudioSession.DidBecomeInactiveMessage`.
    public static var didBecomeInactive: Self { .init() }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<AudioSession.ResumptionRecommendationMessage> {
    /// Identifies `AudioSession.ResumptionRecommendationMessage`.
    public static var resumptionRecommendation: Self { .init() }
}

/// Posts a session's messages on the main actor, in order. If nothing runs the main queue, keeps at
/// most 1,024 of them and drops the oldest. Pending messages do not keep the session alive.
final class MainActorNotifier: Sendable {
    private typealias Post = @MainActor @Sendable (AudioSession) -> Void
    private let pending = Mutex<[Post]>([])

    func post<Message: NotificationCenter.MainActorMessage & Sendable>(_ message: Message, of session: AudioSession)
    where Message.Subject == AudioSession {
        let isFirst = pending.withLock { posts in
            posts.append { NotificationCenter.default.post(message, subject: $0) }
            if posts.count > EventStreams.bufferLimit { posts.removeFirst() }
            return posts.count == 1
        }
        guard isFirst else { return }
        DispatchQueue.main.async { [weak session] in
            guard let session else { return }
            MainActor.assumeIsolated { session.mainActorNotifier.deliver(of: session) }
        }
    }

    @MainActor private func deliver(of session: AudioSession) {
        let posts = pending.withLock { posts in
            defer { posts = [] }
            return posts
        }
        for post in posts { post(session) }
    }
}
