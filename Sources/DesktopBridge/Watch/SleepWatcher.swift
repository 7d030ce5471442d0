/// Watches logind for sleep, and delays it with an inhibitor.
final class SleepWatcher: ServiceWatcher {
    let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let interface = "org.freedesktop.login1.Manager"
    /// Seconds until an inhibitor that was refused is requested again.
    private static let retryPause = 3.0

    private let report: (DesktopEvent) -> Void
    private var service: BusService?
    /// The inhibitor; nil: none.
    private var inhibitor: Int32?
    private var wantsInhibitor = false
    private var isRequested = false

    init(_ report: @escaping (DesktopEvent) -> Void) { self.report = report }

    deinit { closeInhibitor() }

    func begin(_ service: BusService, synced: @escaping () -> Void) {
        self.service = service
        let report = report
        let read = service.reader(
            path: Self.path, BusService.properties, "Get", [Self.interface, "PreparingForSleep"]
        ) { values in
            if let isPreparing = values?.first?.flag { report(.sleeping(isPreparing)) }
            synced()
        }
        service.follow(path: Self.path, Self.interface, "PrepareForSleep", missed: { read.request() }) { _, values in
            if let isPreparing = values.first?.flag { report(.sleeping(isPreparing)) }
        }
        read.request()
        if wantsInhibitor { takeInhibitor() }
    }

    func end() {
        service = nil
        closeInhibitor()
        isRequested = false
        // Nobody would report that the machine has woken.
        report(.sleeping(false))
    }

    /// Requests the inhibitor, unless it is held or requested.
    func takeInhibitor() {
        wantsInhibitor = true
        guard let service, inhibitor == nil, !isRequested else { return }
        isRequested = true
        let reason = "Applications stop to play before the machine sleeps"
        service.call(
            path: Self.path, Self.interface, "Inhibit", ["sleep", "audiosession", reason, "delay"]
        ) { [weak self, weak service] reply in
            guard let reply else { return }
            guard let self else {
                if case .values(_, let descriptor?) = reply { closeDescriptor(descriptor) }
                return
            }
            if case .values(_, let descriptor?) = reply {
                isRequested = false
                inhibitor = descriptor
                if !wantsInhibitor { closeInhibitor() }
            } else {
                // It counts as requested until then: there is one repetition at a time.
                service?.after(Self.retryPause) { [weak self] in
                    guard let self else { return }
                    isRequested = false
                    if wantsInhibitor { takeInhibitor() }
                }
            }
        }
    }

    /// Lets the machine sleep.
    func releaseInhibitor() {
        wantsInhibitor = false
        closeInhibitor()
    }

    private func closeInhibitor() {
        if let inhibitor { closeDescriptor(inhibitor) }
        inhibitor = nil
    }
}
