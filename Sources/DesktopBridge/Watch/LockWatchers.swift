/// Watches the user's session of logind for the screen lock.
final class SessionLockWatcher: ServiceWatcher {
    let name = "org.freedesktop.login1"
    private static let interface = "org.freedesktop.login1.Session"

    private let session: String
    private let report: (DesktopEvent) -> Void

    /// `session` is the id of the session; "auto": the one of this process, or the user's display.
    init(session: String, _ report: @escaping (DesktopEvent) -> Void) {
        self.session = session
        self.report = report
    }

    func begin(_ service: BusService, synced: @escaping () -> Void) {
        find(session, service) { [self] path in
            guard let path else {
                if session == "auto" { return synced() }
                // The id of another login, which has ended.
                return find("auto", service) { [self] path in
                    if let path { follow(path, service, synced) } else { synced() }
                }
            }
            follow(path, service, synced)
        }
    }

    private func find(_ session: String, _ service: BusService, found: @escaping (String?) -> Void) {
        service.call(
            path: "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "GetSession", [session]
        ) { found($0?.first?.text) }
    }

    private func follow(_ path: String, _ service: BusService, _ synced: @escaping () -> Void) {
        let (name, report) = (name, report)
        for (member, isLocked) in [("Lock", true), ("Unlock", false)] {
            // The hint, which is read when signals were lost, follows the lock.
            service.follow(path: path, Self.interface, member, missed: {}) { _, _ in
                report(.lock(source: name, isLocked))
            }
        }
        service.follow(property: "LockedHint", of: Self.interface, path: path) { value in
            if let isLocked = value?.flag { report(.lock(source: name, isLocked)) }
            synced()
        }
    }

    func end() { report(.lock(source: name, nil)) }
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
        let (name, paths, report) = (name, paths, report)
        func read(_ remaining: ArraySlice<String>) {
            guard let path = remaining.first else { return synced() }
            service.call(path: path, name, "GetActive") { values in
                guard let isActive = values?.first?.flag else { return read(remaining.dropFirst()) }
                report(.lock(source: name, isActive))
                synced()
            }
        }
        service.follow(name, "ActiveChanged", missed: { read(paths[...]) }) { _, values in
            if let isActive = values.first?.flag { report(.lock(source: name, isActive)) }
        }
        read(paths[...])
    }

    func end() { report(.lock(source: name, nil)) }
}
