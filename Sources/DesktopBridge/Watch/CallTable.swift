/// The calls of one telephony service, each with its modem.
struct CallTable {
    /// Calls beyond this number are ignored.
    private static let limit = 64

    private let service: String
    private var calls: [String: (modem: String, state: DesktopCall.State?)] = [:]

    init(service: String) { self.service = service }

    /// The paths of all calls.
    var paths: [String] { calls.keys.sorted() }

    func contains(_ path: String) -> Bool { calls[path] != nil }

    /// Adds a call whose state is not known. Returns whether it is new.
    mutating func add(_ path: String, modem: String) -> Bool {
        guard calls[path] == nil, calls.count < Self.limit, !path.isEmpty else { return false }
        calls[path] = (modem, nil)
        return true
    }

    /// Changes the state of a known call; nil: it has ended, or has not begun. Returns the event.
    mutating func set(_ path: String, _ state: DesktopCall.State?) -> [DesktopEvent] {
        guard let call = calls[path], call.state != state else { return [] }
        calls[path]?.state = state
        return [.call(DesktopCall(service: service, path: path), state)]
    }

    /// Removes calls. Returns the events.
    mutating func remove(where isRemoved: (_ path: String, _ modem: String) -> Bool) -> [DesktopEvent] {
        let removed = calls.filter { isRemoved($0.key, $0.value.modem) }
        for path in removed.keys { calls[path] = nil }
        return removed.filter { $0.value.state != nil }.keys.sorted()
            .map { .call(DesktopCall(service: service, path: $0), nil) }
    }
}
