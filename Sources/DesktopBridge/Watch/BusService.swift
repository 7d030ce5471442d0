/// A service on the bus while one connection owns its name. When that connection loses the name, no
/// closure is called any longer.
final class BusService {
    let name: String
    /// The unique name of its connection.
    let owner: String
    private let connection: BusConnection
    private var isGone = false
    private var followed: [UInt64] = []

    /// Seconds until a service that has not replied is asked again.
    private static let retryPause = 3.0

    init(name: String, owner: String, _ connection: BusConnection) {
        self.name = name
        self.owner = owner
        self.connection = connection
    }

    /// Follows signals of the service.
    func follow(
        path: String? = nil, _ interface: String, _ member: String, missed: @escaping () -> Void,
        _ handle: @escaping BusConnection.Handler
    ) {
        let signal = BusConnection.Signal(path: path, interface: interface, member: member)
        if let number = connection.follow(owner, signal, missed: missed, handle) { followed.append(number) }
    }

    /// Follows a property: calls `changed` with each value, and with nil for each attempt to read
    /// it that fails.
    func follow(property: String, of interface: String, path: String, changed: @escaping (BusValue?) -> Void) {
        let properties = "org.freedesktop.DBus.Properties"
        func read() {
            call(path: path, properties, "Get", [interface, property]) { changed($0?.first) }
        }
        follow(path: path, properties, "PropertiesChanged", missed: read) { _, values in
            guard values.count == 3, values[0].text == interface else { return }
            if let value = values[1][property] {
                changed(value)
            } else if values[2].list.contains(.text(property)) {
                read()
            }
        }
        read()
    }

    /// Calls a method with texts as arguments. `completed` receives the values of the reply, or nil
    /// if the call fails. A service that does not reply is called again, so nil may come first.
    func call(
        path: String, _ interface: String, _ member: String, _ arguments: [String] = [],
        completed: @escaping ([BusValue]?) -> Void
    ) {
        callOnce(path: path, interface, member, arguments) { [weak self] reply in
            guard case .values(let values, _) = reply else {
                completed(nil)
                if case .timedOut = reply {
                    self?.after(Self.retryPause) { [weak self] in
                        self?.call(path: path, interface, member, arguments, completed: completed)
                    }
                }
                return
            }
            completed(values)
        }
    }

    /// The same without a second call. A descriptor in the reply is the callee's, also after the
    /// service is gone; then `completed` is called with nil.
    func callOnce(
        path: String, _ interface: String, _ member: String, _ arguments: [String] = [],
        completed: @escaping (BusConnection.Reply?) -> Void
    ) {
        connection.call(owner, path: path, interface: interface, member, arguments) { [weak self] reply in
            guard let self, !isGone else {
                if case .values(_, let descriptor?) = reply { closeDescriptor(descriptor) }
                return completed(nil)
            }
            completed(reply)
        }
    }

    func after(_ seconds: Double, _ body: @escaping () -> Void) {
        connection.after(seconds) { [weak self] in
            if let self, !isGone { body() }
        }
    }

    /// The name has lost its owner.
    func end() {
        isGone = true
        followed.forEach(connection.unfollow)
        followed = []
    }
}
