public import AudioSessionTypes
internal import CDesktopBus
internal import Foundation
internal import Platform

/// Shows a media player on the user's session bus with the interfaces of MPRIS 2.2, and receives
/// the commands of the desktop (REMOTE-1, REMOTE-3).
///
/// One thread serves the bus in `run`. It is idle until a program on the bus requests something or
/// `publish` is called.
///
/// Unchecked `Sendable`: `service` is used only by the thread in `run`, and before it; the
/// connection otherwise only by functions that any thread may call.
public final class MediaPlayerBus: @unchecked Sendable {
    /// Why `run` returned.
    public enum End: Hashable, Sendable {
        /// `stop` was called.
        case stopped
        /// The connection to the bus has ended, or the bus refuses the player's name.
        case lost(reason: String)
    }

    private struct Publication {
        var player: MediaPlayer?
        /// When it was published.
        var time: UInt64
    }

    private struct State {
        /// The newest player that has not been sent.
        var publication: Publication?
        var isStopped = false
        var isRunning = false
        var end: End?
    }

    private let bus: OpaquePointer
    private let service: PlayerService
    private let state = Mutex(State())

    /// The time that a bus has to accept the connection.
    private static let timeoutSeconds = 5.0

    /// Connects to the bus at `address`; nil: the user's session bus. Throws if there is none, or
    /// if it does not accept the connection within 5 s.
    ///
    /// `perform` receives the commands on the thread in `run`, also those that the app has not
    /// registered. The sender waits for it: it receives the failure as an error.
    public convenience init(
        address: String? = nil, perform: @escaping @Sendable (RemoteCommand) throws(RemoteCommandFailure) -> Void
    ) throws(SessionBusFailure) {
        try self.init(
            address: address, environment: ProcessInfo.processInfo.environment, timeoutSeconds: Self.timeoutSeconds,
            perform: perform)
    }

    init(
        address: String?, environment: [String: String], timeoutSeconds: Double,
        perform: @escaping @Sendable (RemoteCommand) throws(RemoteCommandFailure) -> Void
    ) throws(SessionBusFailure) {
        let advice = "Start the program in a desktop session, or set DBUS_SESSION_BUS_ADDRESS."
        let service = PlayerService(perform: perform)
        do throws(SystemFailure) {
            let address = if let address { address } else { try SessionBusAddress.find(environment: environment) }
            bus = try SessionBusAddress.open(
                address, timeoutSeconds: timeoutSeconds, callbacks: service.callbacks)
        } catch {
            throw SessionBusFailure("Cannot connect to the session bus: \(error.reason). \(advice)")
        }
        service.bus = bus
        self.service = service
    }

    deinit { desktop_bus_destroy(bus) }

    /// The name that the player has on the bus; nil: none, or not yet. Any thread.
    public var name: String? { service.ownedName.withLock { $0 } }

    /// Shows a player instead of the current one; nil removes it and releases its name. Any thread;
    /// returns at once. Only the newest player is sent.
    public func publish(_ player: MediaPlayer?) {
        let publication = Publication(player: player, time: PlayerService.now)
        state.withLock { $0.publication = publication }
        desktop_bus_wake(bus)
    }

    /// Makes `run` return. Any thread.
    public func stop() {
        state.withLock { $0.isStopped = true }
        desktop_bus_wake(bus)
    }

    /// Serves the bus on this thread until it is lost or `stop` is called; then disconnects, which
    /// releases the name. Called once: later calls return at once with the same end.
    public func run() -> End {
        let end = state.withLock { state -> End? in
            if state.isRunning { return state.end ?? .lost(reason: "Another thread is serving the bus.") }
            state.isRunning = true
            return nil
        }
        if let end { return end }
        let reached = serve()
        service.bus = nil
        service.ownedName.withLock { $0 = nil }
        desktop_bus_close(bus)
        state.withLock { $0.end = reached }
        return reached
    }

    private func serve() -> End {
        while true {
            // While the bus reads slowly, newer players replace the one that waits.
            let canSend = desktop_bus_has_sent(bus)
            let (publication, isWaiting, isStopped) = state.withLock { state in
                (canSend ? state.publication.take() : nil, state.publication != nil, state.isStopped)
            }
            if isStopped { return .stopped }
            if let publication {
                do throws(SystemFailure) {
                    try service.publish(publication.player, at: publication.time)
                } catch {
                    return Self.lost(error.reason)
                }
                continue
            }
            let result = desktop_bus_wait(bus, isWaiting)
            if result < 0 { return Self.lost(systemErrorText(-result)) }
            if let failure = service.failure { return .lost(reason: failure) }
        }
    }

    private static func lost(_ reason: String) -> End {
        .lost(reason: "The connection to the session bus has ended: \(reason).")
    }
}
