public import Foundation

/// The activity notifications as main-actor messages: `addObserver(of: session, for:
/// .didBecomeActive) { … }`.
///
/// The library posts each message once, on the main queue, in the order of the notifications of the
/// same names, and each after its notification. An app that never runs the main queue receives no
/// messages, but still receives the notifications.
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
