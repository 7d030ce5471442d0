/// Watches the calls of oFono.
final class OfonoWatcher: ServiceWatcher {
    let name = "org.ofono"
    private static let manager = "org.ofono.Manager"
    private static let voice = "org.ofono.VoiceCallManager"
    private static let call = "org.ofono.VoiceCall"
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
        service.follow(path: "/", Self.manager, "ModemAdded", missed: again) { [weak self] _, values in
            if let modem = values.first?.text { self?.list(modem) {} }
        }
        service.follow(path: "/", Self.manager, "ModemRemoved", missed: again) { [weak self] _, values in
            if let modem = values.first?.text { self?.remove { $1 == modem } }
        }
        service.follow(Self.voice, "CallAdded", missed: again) { [weak self] modem, values in
            if values.count == 2, let call = values[0].text { self?.add(call, modem: modem, values[1]) }
        }
        service.follow(Self.voice, "CallRemoved", missed: again) { [weak self] _, values in
            if let call = values.first?.text { self?.remove { path, _ in path == call } }
        }
        service.follow(Self.call, "PropertyChanged", missed: again) { [weak self] call, values in
            if values.count == 2, values[0].text == "State" { self?.set(call, values[1]) }
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
        service?.call(path: "/", Self.manager, "GetModems") { [weak self] values in
            guard let self, let list = values?.first?.list else { return synced() }
            let modems = list.compactMap { $0.list.first?.text }.prefix(Self.maximumModems)
            remove { !modems.contains($1) }
            let all = Countdown(modems.count, synced)
            for modem in modems { self.list(modem, all.step) }
        }
    }

    /// Reads the calls of a modem.
    private func list(_ modem: String, _ synced: @escaping () -> Void) {
        service?.call(path: modem, Self.voice, "GetCalls") { [weak self] values in
            defer { synced() }
            guard let self, let list = values?.first?.list else { return }
            let paths = list.compactMap { $0.list.first?.text }
            remove { $1 == modem && !paths.contains($0) }
            for call in list where call.list.count == 2 {
                if let path = call.list[0].text { add(path, modem: modem, call.list[1]) }
            }
        }
    }

    private func add(_ path: String, modem: String, _ properties: BusValue) {
        _ = calls.add(path, modem: modem)
        set(path, properties["State"])
    }

    // MARK: States

    private func set(_ path: String, _ state: BusValue?) {
        calls.set(path, state?.text.flatMap(Self.state)).forEach(report)
    }

    private func remove(where isRemoved: (_ path: String, _ modem: String) -> Bool) {
        calls.remove(where: isRemoved).forEach(report)
    }

    private static func state(_ name: String) -> DesktopCall.State? {
        switch name {
        case "incoming", "waiting": .incoming
        case "dialing", "alerting": .dialing
        case "active": .active
        case "held": .held
        default: nil
        }
    }
}
