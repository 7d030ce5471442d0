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
    private var synced: () -> Void = {}
    private var calls: CallTable
    /// The reads of modems and of calls, by path.
    private var modemReaders: [String: BusReader] = [:]
    private var callReaders: [String: BusReader] = [:]
    /// Reads that have not been attempted.
    private var openReads = 0

    init(_ report: @escaping (DesktopEvent) -> Void) {
        self.report = report
        calls = CallTable(service: name)
    }

    func begin(_ service: BusService, synced: @escaping () -> Void) {
        self.service = service
        self.synced = synced
        let all = service.reader(path: Self.path, Self.objects, "GetManagedObjects") { [weak self] in
            self?.setModems($0)
        }
        let again: () -> Void = { all.request() }
        service.follow(path: Self.path, Self.objects, "InterfacesAdded", missed: again) { [weak self] _, values in
            if values.count == 2, let modem = values[0].text, values[1][Self.voice] != nil {
                self?.list(modem)
            }
        }
        service.follow(path: Self.path, Self.objects, "InterfacesRemoved", missed: again) { [weak self] _, values in
            if values.count == 2, let modem = values[0].text, values[1].list.contains(.text(Self.voice)) {
                self?.removeModems { $0 == modem }
            }
        }
        service.follow(Self.voice, "CallAdded", missed: again) { [weak self] modem, values in
            if let call = values.first?.text { self?.add(call, modem: modem) }
        }
        service.follow(Self.voice, "CallDeleted", missed: again) { [weak self] _, values in
            if let call = values.first?.text { self?.remove { path, _ in path == call } }
        }
        service.follow(Self.call, "StateChanged", missed: again) { [weak self] call, values in
            if values.count >= 2, let state = values[1].number { self?.set(call, Self.state(state, isIncoming: nil)) }
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
        guard let objects = values?.first?.list else { return }
        let modems = objects.filter { $0.list.count == 2 && $0.list[1][Self.voice] != nil }
            .compactMap { $0.list[0].text }.prefix(Self.maximumModems)
        removeModems { !modems.contains($0) }
        for modem in modems { list(modem) }
    }

    /// Reads the calls of a modem.
    private func list(_ modem: String) {
        guard let service, modemReaders[modem] != nil || modemReaders.count < Self.maximumModems else { return }
        let reader =
            modemReaders[modem]
            ?? service.reader(path: modem, Self.voice, "ListCalls") { [weak self] in self?.setCalls($0, of: modem) }
        modemReaders[modem] = reader
        request(reader)
    }

    private func setCalls(_ values: [BusValue]?, of modem: String) {
        guard let paths = values?.first?.list.compactMap(\.text), modemReaders[modem] != nil else { return }
        remove { $1 == modem && !paths.contains($0) }
        for path in paths { add(path, modem: modem) }
    }

    /// Adds a call, unless it is known, and reads its state.
    private func add(_ path: String, modem: String) {
        guard let service, calls.add(path, modem: modem) || calls.contains(path) else { return }
        let reader =
            callReaders[path]
            ?? service.reader(path: path, BusService.properties, "GetAll", [Self.call]) { [weak self] values in
                guard let properties = values?.first, let state = properties["State"]?.number else { return }
                self?.set(path, Self.state(state, isIncoming: properties["Direction"]?.number == 1))
            }
        callReaders[path] = reader
        request(reader)
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

    private func set(_ path: String, _ state: DesktopCall.State?) { calls.set(path, state).forEach(report) }

    private func remove(where isRemoved: (_ path: String, _ modem: String) -> Bool) {
        calls.remove(where: isRemoved).forEach(report)
        for (path, reader) in callReaders where !calls.contains(path) {
            callReaders[path] = nil
            reader.end()
        }
    }

    /// Removes modems with their calls.
    private func removeModems(where isRemoved: (_ modem: String) -> Bool) {
        for (modem, reader) in modemReaders where isRemoved(modem) {
            modemReaders[modem] = nil
            reader.end()
        }
        remove { isRemoved($1) }
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
