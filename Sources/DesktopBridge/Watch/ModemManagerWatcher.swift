/// Watches the calls of ModemManager.
final class ModemManagerWatcher: ServiceWatcher {
    let name = "org.freedesktop.ModemManager1"
    private static let path = "/org/freedesktop/ModemManager1"
    private static let objects = "org.freedesktop.DBus.ObjectManager"
    private static let voice = "org.freedesktop.ModemManager1.Modem.Voice"
    private static let call = "org.freedesktop.ModemManager1.Call"
    /// More modems are ignored.
    private static let maximumModems = 16

    private let report: (DesktopEvent) -> Void
    private var service: BusService?
    private var calls: CallTable

    init(_ report: @escaping (DesktopEvent) -> Void) {
        self.report = report
        calls = CallTable(service: name)
    }

    func begin(_ service: BusService, synced: @escaping () -> Void) {
        self.service = service
        let again: () -> Void = { [weak self] in self?.list {} }
        service.follow(path: Self.path, Self.objects, "InterfacesAdded", missed: again) { [weak self] _, values in
            if values.count == 2, let modem = values[0].text, values[1][Self.voice] != nil {
                self?.list(modem) {}
            }
        }
        service.follow(path: Self.path, Self.objects, "InterfacesRemoved", missed: again) { [weak self] _, values in
            if values.count == 2, let modem = values[0].text, values[1].list.contains(.text(Self.voice)) {
                self?.remove { $1 == modem }
            }
        }
        service.follow(Self.voice, "CallAdded", missed: again) { [weak self] modem, values in
            if let call = values.first?.text { self?.add(call, modem: modem) {} }
        }
        service.follow(Self.voice, "CallDeleted", missed: again) { [weak self] _, values in
            if let call = values.first?.text { self?.remove { path, _ in path == call } }
        }
        service.follow(Self.call, "StateChanged", missed: again) { [weak self] call, values in
            if values.count >= 2, let state = values[1].number { self?.set(call, Self.state(state, isIncoming: nil)) }
        }
        list(synced)
    }

    func end() {
        service = nil
        remove { _, _ in true }
    }

    // MARK: Reading

    /// Reads all modems and their calls.
    private func list(_ synced: @escaping () -> Void) {
        service?.call(path: Self.path, Self.objects, "GetManagedObjects") { [weak self] values in
            guard let self, let objects = values?.first?.list else { return synced() }
            let modems = objects.filter { $0.list.count == 2 && $0.list[1][Self.voice] != nil }
                .compactMap { $0.list[0].text }.prefix(Self.maximumModems)
            remove { !modems.contains($1) }
            let all = Countdown(modems.count, synced)
            for modem in modems { list(modem, all.step) }
        }
    }

    /// Reads the calls of a modem.
    private func list(_ modem: String, _ synced: @escaping () -> Void) {
        service?.call(path: modem, Self.voice, "ListCalls") { [weak self] values in
            guard let self, let paths = values?.first?.list.compactMap(\.text) else { return synced() }
            remove { $1 == modem && !paths.contains($0) }
            let all = Countdown(paths.count, synced)
            for path in paths { add(path, modem: modem, all.step) }
        }
    }

    /// Adds a call, unless it is known, and reads its state.
    private func add(_ path: String, modem: String, _ synced: @escaping () -> Void) {
        guard calls.add(path, modem: modem) || calls.contains(path) else { return synced() }
        service?.call(path: path, "org.freedesktop.DBus.Properties", "GetAll", [Self.call]) { [weak self] values in
            if let properties = values?.first, let state = properties["State"]?.number {
                self?.set(path, Self.state(state, isIncoming: properties["Direction"]?.number == 1))
            }
            synced()
        }
    }

    // MARK: States

    private func set(_ path: String, _ state: DesktopCall.State?) { calls.set(path, state).forEach(report) }

    private func remove(where isRemoved: (_ path: String, _ modem: String) -> Bool) {
        calls.remove(where: isRemoved).forEach(report)
    }

    /// The state of a call for a value of MMCallState. An unknown state is that of a call that the
    /// user has not started, or that has not rung yet.
    private static func state(_ number: Int64, isIncoming: Bool?) -> DesktopCall.State? {
        switch number {
        case 1, 2: .dialing
        case 3, 6: .incoming
        case 4: .active
        case 5: .held
        default: isIncoming == true && number == 0 ? .incoming : nil
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
