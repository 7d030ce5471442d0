import AudioSessions
import Foundation
import PeerProtocol

/// Forwards the session's notifications to the benchmark.
///
/// Unchecked `Sendable`: immutable.
final class Notices: @unchecked Sendable {
    private let tokens: [any NSObjectProtocol]

    init(_ session: AudioSession) {
        func observe(_ name: NSNotification.Name, _ text: String) -> any NSObjectProtocol {
            NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { _ in
                peer_notice(text)
            }
        }
        tokens = [
            observe(AudioSession.mediaServicesWereLostNotification, "mediaServicesWereLost"),
            observe(AudioSession.mediaServicesWereResetNotification, "mediaServicesWereReset"),
        ]
    }

    deinit { tokens.forEach(NotificationCenter.default.removeObserver) }
}
