/// Watches the notification service of KDE for do-not-disturb.
final class NotificationWatcher: ServiceWatcher {
    let name = "org.freedesktop.Notifications"

    private let report: (DesktopEvent) -> Void

    init(_ report: @escaping (DesktopEvent) -> Void) { self.report = report }

    func begin(_ service: BusService, synced: @escaping () -> Void) {
        let (name, report) = (name, report)
        // Other services do not have the property.
        service.follow(property: "Inhibited", of: name, path: "/org/freedesktop/Notifications") { value in
            if let isInhibited = value?.flag { report(.doNotDisturb(source: name, isInhibited)) }
            synced()
        }
    }

    func end() { report(.doNotDisturb(source: name, nil)) }
}
