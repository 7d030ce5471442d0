/// Watches the user's session of logind for the screen lock.
final class SessionLockWatcher: ServiceWatcher {
    let name = "org.freedesktop.login1"
    private static let managerPath = "/org/freedesktop/login1"
    private static let manager = "org.freedesktop.login1.Manager"
    private static let interface = "org.freedesktop.login1.Session"

    private let session: String
    private let report: (DesktopEvent) -> Void
    /// The object of the session that is followed; nil: none.
    private var path: String?
    private var signals: [UInt64] = []

    /// `session` is the id of the session; "auto": the one of this process, or the user's display.
    init(session: String, _ report: @escaping (DesktopEvent) -> Void) {
        self.session = session
        self.report = report
    }

    func begin(_ service: BusService, synced: @escaping () -> Void) {
        // The id may be that of another login, which has ended.
        let candidates = session == "auto" ? ["auto"] : [session, "auto"]
        let search = service.reader { [weak self] service, ended in
            self?.find(candidates[...], service, synced, ended)
        }
        let removed: (String) -> Void = { [weak self, weak service, weak search] path in
            guard let self, let service, path == self.path else { return }
            leave(service)
            search?.request()
        }
        service.follow(
            path: Self.managerPath, Self.manager, "SessionRemoved", missed: { search.request() }
        ) { _, values in
            if values.count == 2, let path = values[1].text { removed(path) }
        }
        search.request()
    }

    /// Follows the first of the sessions that exists. Without any, it is searched again later.
    private func find(
        _ candidates: ArraySlice<String>, _ service: BusService, _ synced: @escaping () -> Void,
        _ ended: @escaping (Bool) -> Void
    ) {
        guard let candidate = candidates.first else {
            leave(service)
            synced()
            return ended(false)
        }
        service.call(path: Self.managerPath, Self.manager, "GetSession", [candidate]) { [weak self] reply in
            guard let self, let reply else { return }
            switch reply {
            case .values(let values, _):
                if let path = values.first?.text { follow(path, service, synced) } else { synced() }
                ended(true)
            case .refused: find(candidates.dropFirst(), service, synced, ended)
            case .missing:
                synced()
                ended(false)
            }
        }
    }

    private func follow(_ path: String, _ service: BusService, _ synced: @escaping () -> Void) {
        guard path != self.path else { return synced() }
        leave(service)
        self.path = path
        let report: (Bool) -> Void = { [weak self] isLocked in
            if let self, self.path == path { self.report(.lock(source: name, isLocked)) }
        }
        let numbers = [("Lock", true), ("Unlock", false)].map { member, isLocked in
            // The hint, which is read when signals were lost, follows the lock.
            service.follow(path: path, Self.interface, member, missed: {}) { _, _ in report(isLocked) }
        }
        let hint = service.follow(property: "LockedHint", of: Self.interface, path: path) { value in
            if let isLocked = value?.flag { report(isLocked) }
            synced()
        }
        signals = (numbers + [hint]).compactMap(\.self)
    }

    /// No longer follows the session.
    private func leave(_ service: BusService) {
        guard path != nil else { return }
        service.unfollow(signals)
        forget()
    }

    private func forget() {
        (path, signals) = (nil, [])
        report(.lock(source: name, nil))
    }

    func end() { forget() }
}

/// Watches a screen saver for the screen lock.
final class ScreenSaverWatcher: ServiceWatcher {
    /// The screen savers by name, with the paths of their objects.
    static let known = [
        ("org.freedesktop.ScreenSaver", ["/org/freedesktop/ScreenSaver", "/ScreenSaver"]),
        ("org.gnome.ScreenSaver", ["/org/gnome/ScreenSaver"]),
    ]

    let name: String
    private let paths: [String]
    private let report: (DesktopEvent) -> Void

    init(_ name: String, paths: [String], _ report: @escaping (DesktopEvent) -> Void) {
        self.name = name
        self.paths = paths
        self.report = report
    }

    func begin(_ service: BusService, synced: @escaping () -> Void) {
        let (name, report) = (name, report)
        let read = service.reader { [weak self] service, ended in
            guard let self else { return }
            findState(paths[...], service, synced, ended)
        }
        service.follow(name, "ActiveChanged", missed: { read.request() }) { _, values in
            if let isActive = values.first?.flag { report(.lock(source: name, isActive)) }
        }
        read.request()
    }

    /// Reads the state at the first path that has one.
    private func findState(
        _ paths: ArraySlice<String>, _ service: BusService, _ synced: @escaping () -> Void,
        _ ended: @escaping (Bool) -> Void
    ) {
        guard let path = paths.first else {
            synced()
            return ended(true)
        }
        service.call(path: path, name, "GetActive") { [weak self] reply in
            guard let self, let reply else { return }
            if case .missing = reply {
                synced()
                return ended(false)
            }
            guard case .values(let values, _) = reply, let isActive = values.first?.flag else {
                return findState(paths.dropFirst(), service, synced, ended)
            }
            report(.lock(source: name, isActive))
            synced()
            ended(true)
        }
    }

    func end() { report(.lock(source: name, nil)) }
}
