internal import CDesktopBus
internal import Foundation
internal import Platform

/// Follows the media players of other programs on a session bus (MPRIS), and controls them.
///
/// A thread of the watch serves the bus and makes all calls of `receive`, `lost` and `completed`,
/// in order. It may begin before `init` has returned. None of these calls may wait for another one.
/// The players of this process and of `audiosession-mpris` are reported like all others.
package final class MediaPlayerWatch: Sendable {
    package typealias Event = ForeignPlayerEvent

    private let service: PlayerWatchService

    /// The time that a bus has to accept the connection.
    private static let timeoutSeconds = 5.0

    /// Connects to the bus at `address`, and watches it; nil: the user's session bus. Throws if
    /// there is none, or if it does not accept the connection within 5 s.
    ///
    /// `lost` is called with the reason when the connection has ended, unless `stop` was called
    /// before: once, after all other calls.
    package init(
        address: String? = nil, receive: @escaping @Sendable (Event) -> Void,
        lost: @escaping @Sendable (String) -> Void
    ) throws(SessionBusFailure) {
        let service = PlayerWatchService(receive: receive, lost: lost)
        let advice = "Start the program in a desktop session, or set DBUS_SESSION_BUS_ADDRESS."
        do throws(SystemFailure) {
            let address =
                if let address { address } else {
                    try SessionBusAddress.find(environment: ProcessInfo.processInfo.environment)
                }
            try service.open(address, timeoutSeconds: Self.timeoutSeconds)
        } catch {
            throw SessionBusFailure("Cannot connect to the session bus: \(error.reason). \(advice)")
        }
        guard WorkerThread().start(name: "media-players", { service.run() }) else {
            throw SessionBusFailure(
                "Cannot watch media players: the system cannot create a thread; end other programs.")
        }
        self.service = service
    }

    deinit { stop() }

    /// Pauses a player. Any thread; returns at once. `completed` receives whether the player has
    /// replied within 5 s that it has paused; its new status follows as an event, or precedes it.
    /// False at once if there is no such player. After the end of the watch, `completed` is called
    /// before this function returns.
    package func pause(_ player: ForeignPlayer.ID, completed: @escaping @Sendable (Bool) -> Void) {
        service.call(player, DESKTOP_PLAYERS_PAUSE) { completed($0 != nil) }
    }

    /// Makes a player play; otherwise as `pause`.
    package func play(_ player: ForeignPlayer.ID, completed: @escaping @Sendable (Bool) -> Void) {
        service.call(player, DESKTOP_PLAYERS_PLAY) { completed($0 != nil) }
    }

    /// Reads a player's position in microseconds; nil: it has none, or has not replied. Otherwise
    /// as `pause`.
    package func readPosition(of player: ForeignPlayer.ID, completed: @escaping @Sendable (Int64?) -> Void) {
        service.call(player, DESKTOP_PLAYERS_POSITION, completed: completed)
    }

    /// Ends the watch. Any thread, also in `receive`; returns at once and does not wait for a call
    /// that is in progress. No other event is delivered; calls without a reply complete as failed.
    /// Idempotent.
    package func stop() { service.stop() }
}
