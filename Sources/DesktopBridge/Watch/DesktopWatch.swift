internal import Foundation
package import Platform

/// Watches the services of a bus that report events of the desktop: sleep, the screen lock, calls,
/// do-not-disturb.
///
/// A thread of the watch serves the bus and makes all calls of `receive` and `lost`, in order. It
/// may begin before `init` has returned. If a service vanishes or the connection ends, its states
/// are reported as ended.
package final class DesktopWatch: Sendable {
    package enum Bus: Sendable, CaseIterable {
        case system, session

        /// What this bus reports.
        package var sources: Set<DesktopSource> {
            switch self {
            case .system: [.sleep, .lock, .calls]
            case .session: [.lock, .doNotDisturb]
            }
        }
    }

    private let connection: BusConnection
    /// Whether the inhibitor is wanted; nil: as before.
    private let inhibitor = Mutex<Bool?>(nil)

    /// The time that a bus has to accept the connection.
    private static let timeoutSeconds = 5.0

    /// Connects to the bus at `address`, and watches the sources that it reports; nil: the user's
    /// session bus, or the system's bus. Throws if there is none, or if it does not accept the
    /// connection within 5 s.
    ///
    /// `lost` is called with the reason when the connection has ended, unless `stop` was called
    /// before: once, after all other calls.
    package init(
        _ bus: Bus, address: String? = nil, sources: Set<DesktopSource>,
        receive: @escaping @Sendable (DesktopEvent) -> Void, lost: @escaping @Sendable (String) -> Void
    ) throws(SystemFailure) {
        let environment = ProcessInfo.processInfo.environment
        let address =
            if let address { address } else { try Self.address(of: bus, environment) }
        let connection = BusConnection()
        try connection.open(address, timeoutSeconds: Self.timeoutSeconds)
        self.connection = connection
        let inhibitor = inhibitor
        let session = environment["XDG_SESSION_ID"].flatMap { $0.isEmpty ? nil : $0 } ?? "auto"
        let isStarted = WorkerThread().start(name: "desktop-\(bus)") {
            let sleep = bus == .system && sources.contains(.sleep) ? SleepWatcher(receive) : nil
            let watchers =
                (sleep.map { [$0] } ?? []) + Self.watchers(bus, sources, session: session, receive)
            let all = Countdown(watchers.count) { receive(.synced) }
            let followers = watchers.map { watcher in
                var isSynced = false
                return ServiceFollower(watcher, on: connection) {
                    if !isSynced { all.step() }
                    isSynced = true
                }
            }
            let reason = connection.serve {
                switch inhibitor.withLock({ $0.take() }) {
                case true?: sleep?.takeInhibitor()
                case false?: sleep?.releaseInhibitor()
                case nil: break
                }
            }
            followers.forEach { $0.end() }
            if let reason { lost("The connection to the \(bus) bus has ended: \(reason).") }
        }
        guard isStarted else { throw SystemFailure("the system cannot create a thread") }
    }

    deinit { stop() }

    /// Delays sleep from now on, until `releaseInhibitor`. Any thread; returns at once. Does
    /// nothing on a bus without logind.
    package func takeInhibitor() {
        inhibitor.withLock { $0 = true }
        connection.wake()
    }

    /// Lets the machine sleep. Any thread; returns at once.
    package func releaseInhibitor() {
        inhibitor.withLock { $0 = false }
        connection.wake()
    }

    /// Ends the watch. Any thread; returns at once. The states of services end as if the
    /// connection had ended, but `lost` is not called. Idempotent.
    package func stop() { connection.stop() }

    private static func watchers(
        _ bus: Bus, _ sources: Set<DesktopSource>, session: String, _ receive: @escaping (DesktopEvent) -> Void
    ) -> [any ServiceWatcher] {
        var watchers: [any ServiceWatcher] = []
        switch bus {
        case .system:
            if sources.contains(.lock) { watchers.append(SessionLockWatcher(session: session, receive)) }
            if sources.contains(.calls) { watchers += [ModemManagerWatcher(receive), OfonoWatcher(receive)] }
        case .session:
            if sources.contains(.lock) {
                watchers += ScreenSaverWatcher.known.map { ScreenSaverWatcher($0.0, paths: $0.1, receive) }
            }
            if sources.contains(.doNotDisturb) { watchers.append(NotificationWatcher(receive)) }
        }
        return watchers
    }

    private static func address(of bus: Bus, _ environment: [String: String]) throws(SystemFailure) -> String {
        switch bus {
        case .session: return try SessionBusAddress.find(environment: environment)
        case .system:
            if let address = environment["DBUS_SYSTEM_BUS_ADDRESS"], !address.isEmpty { return address }
            return "unix:path=/run/dbus/system_bus_socket"
        }
    }
}

/// Calls a closure after a number of steps, at once if there are none.
final class Countdown {
    private var rest: Int
    private let done: () -> Void

    init(_ count: Int, _ done: @escaping () -> Void) {
        rest = count
        self.done = done
        if count == 0 { done() }
    }

    func step() {
        rest -= 1
        if rest == 0 { done() }
    }
}
