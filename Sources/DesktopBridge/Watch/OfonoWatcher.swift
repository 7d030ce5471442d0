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
    private var synced: () -> Void = {}
    private var calls: CallTable
    /// The reads of modems, by path.
    private var modemReaders: [String: BusReader] = [:]
    /// Reads that have not been attempted.
    private var openReads = 0

    init(_ report: @escaping (DesktopEvent) -> Void) {
        self.report = report
        calls = CallTable(service: name)
    }

    func begin(_ service: BusService, synced: @escaping () -> Void) {
        self.service = service
        self.synced = synced
        let all = service.reader(path: "/", Self.manager, "GetModems") { [weak self] in self?.setModems($0) }
        let again: () -> Void = { all.request() }
        service.follow(path: "/", Self.manager, "ModemAdded", missed: again) { [weak self] _, values in
            if let modem = values.first?.text { self?.list(modem) }
        }
        service.follow(path: "/", Self.manager, "ModemRemoved", missed: again) { [weak self] _, values in
            if let modem = values.first?.text { self?.removeModems { $0 == modem } }
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
        request(all)
    }

    func end() {
        service = nil
        synced = {}
        removeModems { _ in true }
        openReads = 0
    }

    // MARK: Reading

    /// The reply with all modems, which are then read; nil: none.
    private func setModems(_ values: [BusValue]?) {
        guard let list = values?.first?.list else { return }
        let modems = list.compactMap { $0.list.first?.text }.prefix(Self.maximumModems)
        removeModems { !modems.contains($0) }
        for modem in modems { self.list(modem) }
    }

    /// Reads the calls of a modem.
    private func list(_ modem: String) {
        guard let service, modemReaders[modem] != nil || modemReaders.count < Self.maximumModems else { return }
        let reader =
            modemReaders[modem]
            ?? service.reader(path: modem, Self.voice, "GetCalls") { [weak self] in self?.setCalls($0, of: modem) }
        modemReaders[modem] = reader
        request(reader)
    }

    private func setCalls(_ values: [BusValue]?, of modem: String) {
        guard let list = values?.first?.list, modemReaders[modem] != nil else { return }
        let paths = list.compactMap { $0.list.first?.text }
        remove { $1 == modem && !paths.contains($0) }
        for call in list where call.list.count == 2 {
            if let path = call.list[0].text { add(path, modem: modem, call.list[1]) }
        }
    }

    private func add(_ path: String, modem: String, _ properties: BusValue) {
        _ = calls.add(path, modem: modem)
        set(path, properties["State"])
    }

    /// The state has been reported once all reads have been attempted.
    private func request(_ reader: BusReader) {
        openReads += 1
        reader.request { [weak self] in
            guard let self else { return }
            openReads -= 1
            if openReads == 0 { synced() }
        }
    }

    // MARK: States

    private func set(_ path: String, _ state: BusValue?) {
        calls.set(path, state?.text.flatMap(Self.state)).forEach(report)
    }

    private func remove(where isRemoved: (_ path: String, _ modem: String) -> Bool) {
        calls.remove(where: isRemoved).forEach(report)
    }

    /// Removes modems with their calls.
    private func removeModems(where isRemoved: (_ modem: String) -> Bool) {
        for (modem, reader) in modemReaders where isRemoved(modem) {
            modemReaders[modem] = nil
            reader.end()
        }
        remove { isRemoved($1) }
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
