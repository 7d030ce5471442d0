/// A service on the bus while one connection owns its name. When that connection loses the name, no
/// closure is called any longer.
final class BusService {
    let name: String
    /// The unique name of its connection.
    let owner: String
    private let connection: BusConnection
    private var isGone = false
    private var followed: [UInt64] = []

    static let properties = "org.freedesktop.DBus.Properties"

    init(name: String, owner: String, _ connection: BusConnection) {
        self.name = name
        self.owner = owner
        self.connection = connection
    }

    /// Follows signals of the service, until its end or `unfollow` of the number that it returns;
    /// nil if the limit is reached.
    @discardableResult
    func follow(
        path: String? = nil, _ interface: String, _ member: String, missed: @escaping () -> Void,
        _ handle: @escaping BusConnection.Handler
    ) -> UInt64? {
        let signal = BusConnection.Signal(path: path, interface: interface, member: member)
        let number = connection.follow(owner, signal, missed: missed, handle)
        if let number { followed.append(number) }
        return number
    }

    func unfollow(_ numbers: [UInt64]) {
        numbers.forEach(connection.unfollow)
        followed.removeAll(where: numbers.contains)
    }

    /// Follows a property: calls `changed` with each value, and with nil for each attempt to read
    /// it that fails. Returns a number for `unfollow`.
    @discardableResult
    func follow(
        property: String, of interface: String, path: String, changed: @escaping (BusValue?) -> Void
    ) -> UInt64? {
        let properties = Self.properties
        let read = reader(path: path, properties, "Get", [interface, property]) { changed($0?.first) }
        let number = follow(path: path, properties, "PropertiesChanged", missed: { read.request() }) { _, values in
            guard values.count == 3, values[0].text == interface else { return }
            if let value = values[1][property] {
                changed(value)
            } else if values[2].list.contains(.text(property)) {
                read.request()
            }
        }
        read.request()
        return number
    }

    /// A method with texts as arguments that is called on request. `completed` receives the values
    /// of the reply, or nil if the call fails. A service that does not reply is called again later.
    func reader(
        path: String, _ interface: String, _ member: String, _ arguments: [String] = [],
        completed: @escaping ([BusValue]?) -> Void
    ) -> BusReader {
        reader { service, ended in
            service.call(path: path, interface, member, arguments) { reply in
                switch reply {
                case .values(let values, _):
                    completed(values)
                    ended(true)
                case .refused:
                    completed(nil)
                    ended(true)
                case .missing:
                    completed(nil)
                    ended(false)
                case nil: break
                }
            }
        }
    }

    /// A read of the service's state that calls `read` on request, while the service exists.
    func reader(
        _ read: @escaping (_ service: BusService, _ ended: @escaping (_ isAnswered: Bool) -> Void) -> Void
    ) -> BusReader {
        BusReader(timer: { [weak self] in self?.after($0, $1) }) { [weak self] ended in
            if let self { read(self, ended) }
        }
    }

    /// Calls a method with texts as arguments. A descriptor in the reply is the callee's, also
    /// after the service is gone; then `completed` is called with nil.
    func call(
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
