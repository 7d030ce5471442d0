internal import Glibc

/// What follows a service and reports its events. Used on the thread of its connection.
protocol ServiceWatcher: AnyObject {
    /// The name of the service on the bus.
    var name: String { get }
    /// The service has appeared. `synced` is called once it has reported its state, or fails to; it
    /// may be called several times.
    func begin(_ service: BusService, synced: @escaping () -> Void)
    /// The service has ended, or the connection to the bus has.
    func end()
}

/// Follows the owner of a service's name.
final class ServiceFollower {
    private let watcher: any ServiceWatcher
    private let connection: BusConnection
    private let synced: () -> Void
    private var service: BusService?
    /// Whether the bus is asked, or will be; and whether signals were lost since.
    private var (isAsking, isStale) = (false, false)

    /// Seconds until a bus that has not replied is asked again.
    private static let retryPause = 3.0

    /// `synced` is called at least once.
    init(_ watcher: any ServiceWatcher, on connection: BusConnection, synced: @escaping () -> Void) {
        self.watcher = watcher
        self.connection = connection
        self.synced = synced
        let signal = BusConnection.Signal(
            path: "/org/freedesktop/DBus", interface: BusConnection.bus, member: "NameOwnerChanged",
            argument: watcher.name)
        _ = connection.follow(BusConnection.bus, signal, missed: { [weak self] in self?.lookUp() }) {
            [weak self] _, values in
            guard values.count == 3, let owner = values[2].text else { return }
            self?.setOwner(owner.isEmpty ? nil : owner)
        }
        lookUp()
    }

    /// Asks the bus, unless it has not replied yet.
    private func lookUp() {
        guard !isAsking else { return isStale = true }
        (isAsking, isStale) = (true, false)
        connection.call(
            BusConnection.bus, path: "/org/freedesktop/DBus", interface: BusConnection.bus, "GetNameOwner",
            [watcher.name]
        ) { [weak self] reply in
            guard let self else { return }
            isAsking = false
            switch reply {
            case .values(let values, _): setOwner(values.first?.text)
            case .refused: setOwner(nil)
            case .missing:
                synced()
                isAsking = true
                connection.after(Self.retryPause) { [weak self] in
                    self?.isAsking = false
                    self?.lookUp()
                }
            }
            if !isAsking, isStale { lookUp() }
        }
    }

    private func setOwner(_ owner: String?) {
        guard let owner else {
            end()
            return synced()
        }
        guard owner != service?.owner else { return }
        end()
        let service = BusService(name: watcher.name, owner: owner, connection)
        self.service = service
        watcher.begin(service, synced: synced)
    }

    /// Ends the service, also with the connection.
    func end() {
        guard let service else { return }
        service.end()
        self.service = nil
        watcher.end()
    }
}

func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
