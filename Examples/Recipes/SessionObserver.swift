import AudioSessions
import Foundation

/// Delivers interruptions, route changes and silence hints of a session to a closure, one after the
/// other: route changes on a library thread, the others on the main queue if the program runs it,
/// and otherwise also on a library thread.
///
/// `for await event in session.events` delivers these and all other events in a task. The closure,
/// in contrast, has returned before the next event is delivered.
///
/// Unchecked `Sendable`: the tokens are not `Sendable`, but are accessed only under the lock.
public final class SessionObserver: @unchecked Sendable {
    private let lock = NSLock()
    private var tokens: [any NSObjectProtocol] = []
    /// Held while the closure runs.
    private let delivery = NSRecursiveLock()

    public init() {}

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    /// Observes a session until this object is released.
    public func observe(_ session: AudioSession, _ handle: @escaping @Sendable (AudioSessionEvent) -> Void) {
        add(AudioSession.interruptionNotification, session) { note in
            guard let type = Self.number(note, AudioSessionInterruptionTypeKey) else { return }
            switch AudioSession.InterruptionType(rawValue: type) {
            case .began:
                let reason = Self.number(note, AudioSessionInterruptionReasonKey) ?? 0
                handle(.interruptionBegan(AudioSession.InterruptionReason(rawValue: reason) ?? .default))
            case .ended:
                let options = Self.number(note, AudioSessionInterruptionOptionKey) ?? 0
                let resumes = AudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume)
                handle(.interruptionEnded(shouldResume: resumes))
            case nil: break
            }
        }
        add(AudioSession.routeChangeNotification, session) { note in
            let reason = Self.number(note, AudioSessionRouteChangeReasonKey) ?? 0
            handle(.routeChanged(AudioSession.RouteChangeReason(rawValue: reason) ?? .unknown))
        }
        add(AudioSession.silenceSecondaryAudioHintNotification, session) { note in
            let type = Self.number(note, AudioSessionSilenceSecondaryAudioHintTypeKey) ?? 0
            handle(.silenceSecondaryAudioHint(AudioSession.SilenceSecondaryAudioHintType(rawValue: type) ?? .end))
        }
    }

    private func add(
        _ name: NSNotification.Name, _ session: AudioSession, _ handle: @escaping @Sendable (Notification) -> Void
    ) {
        let token = NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) {
            [delivery] note in delivery.withLock { handle(note) }
        }
        lock.withLock { tokens.append(token) }
    }

    private static func number(_ note: Notification, _ key: String) -> UInt? { note.userInfo?[key] as? UInt }
}
