import ArbiterService
import DesktopBridge
import DesktopEvents
import Dispatch
import Platform
import SessionArbiter
import SessionPolicy

/// Connects the reporter to the buses and the arbiter. Their events arrive on their threads, and
/// are handled on one queue, which nothing blocks: requests to the arbiter, and attempts to reach a
/// bus, have queues of their own.
///
/// Unchecked `Sendable`: the variables are used on `queue` only.
final class DesktopService: @unchecked Sendable {
    private let arbiter: RemoteArbiter
    private let marks: MarkFile
    private let sources: Set<DesktopSource>
    private let queue = DispatchQueue(label: "audiosession-desktop")
    private let requests = DispatchQueue(label: "audiosession-desktop.requests")
    private var reporter: DesktopReporter
    private var buses: [DesktopWatch.Bus: BusState] = [:]
    private var banners: BannerSetting?
    /// What has not reported its state since the start.
    private var unsettled: Set<Unsettled> = []
    /// The last error of the arbiter, which is not repeated.
    private var lastError: String?
    /// With which result the service ends once everything is undone; nil: it does not end.
    private var ending: End?
    private var isStopping: Bool { ending != nil }
    /// Why the service ends; set once.
    private let end = Promise<End>()
    /// Writes a message to standard error.
    private let log: @Sendable (String) -> Void

    enum End: Sendable {
        case stopped
        case failed(String)
    }

    private enum Unsettled: Hashable {
        case bus(DesktopWatch.Bus)
        case banners
    }

    private struct BusState {
        let queue: DispatchQueue
        var watch: DesktopWatch?
        /// Attempts in succession that failed, or connections that were lost.
        var failures = 0
        /// Whether it has ever been reached.
        var hasWorked = false
        var lastError = ""
    }

    /// Seconds between two attempts to reach a bus, and how many of them fail until it counts as
    /// not there.
    private static let (busPause, busAttempts) = (3.0, 5)
    /// Seconds that the arbiter has to undo everything.
    private static let stopLimit = 2.0

    init(
        _ settings: DesktopSettings, arbiter: RemoteArbiter, marks: MarkFile, log: @escaping @Sendable (String) -> Void
    ) {
        self.log = log
        self.arbiter = arbiter
        self.marks = marks
        sources = settings.sources
        reporter = DesktopReporter(
            resumesAfterSleep: settings.resumesAfterSleep, fade: arbiter.settings.policy.fade, previous: marks.read())
    }

    /// Serves until `stop`, or until there is neither bus.
    func run() -> End {
        queue.async { [self] in start() }
        let reason = end.wait(seconds: .infinity) ?? .stopped
        queue.sync {
            for bus in buses.values { bus.watch?.stop() }
            banners = nil
        }
        return reason
    }

    /// Undoes what a killed process has set, without a bus.
    func undo() {
        stop()
        _ = end.wait(seconds: .infinity)
    }

    func stop() {
        queue.async { [self] in stop(.stopped) }
    }

    /// Undoes everything, and then ends.
    private func stop(_ result: End) {
        guard !isStopping else { return }
        ending = result
        perform(reporter.stop())
        queue.asyncAfter(deadline: .now() + Self.stopLimit) { [self] in end.set(result) }
    }

    private func start() {
        perform(reporter.start())
        arbiter.whenReconnected { [weak self] in self?.enqueue { $0.arbiterReturned() } }
        for bus in DesktopWatch.Bus.allCases where !bus.sources.isDisjoint(with: sources) {
            buses[bus] = BusState(queue: DispatchQueue(label: "audiosession-desktop.\(bus)"))
            unsettled.insert(.bus(bus))
            if bus == .session, sources.contains(.doNotDisturb) { unsettled.insert(.banners) }
            open(bus)
        }
    }

    private func enqueue(_ body: @escaping @Sendable (DesktopService) -> Void) {
        queue.async { [weak self] in
            if let self { body(self) }
        }
    }

    // MARK: The buses

    private func open(_ bus: DesktopWatch.Bus) {
        let sources = sources
        buses[bus]?.queue.async { [weak self] in
            let result = Result { () throws(SystemFailure) in
                try DesktopWatch(
                    bus, sources: sources,
                    receive: { [weak self] event in self?.enqueue { $0.handle(event, from: bus) } },
                    lost: { [weak self] reason in self?.enqueue { $0.lost(bus, reason) } })
            }
            self?.enqueue { $0.opened(bus, result) }
        }
    }

    private func opened(_ bus: DesktopWatch.Bus, _ result: Result<DesktopWatch, SystemFailure>) {
        switch result {
        case .success(let watch):
            buses[bus]?.watch = watch
            buses[bus]?.hasWorked = true
            if bus == .system, sources.contains(.sleep) { watch.takeInhibitor() }
            if bus == .session, sources.contains(.doNotDisturb), banners == nil { openBanners() }
        case .failure(let error):
            settle(.bus(bus))
            if bus == .session, banners == nil { settle(.banners) }
            fail(bus, "cannot connect to the \(bus) bus: \(error.reason)")
        }
    }

    private func openBanners() {
        banners = BannerSetting { [weak self] event in
            self?.enqueue { service in
                if event == .synced { service.settle(.banners) } else { service.report(event) }
            }
        }
    }

    private func lost(_ bus: DesktopWatch.Bus, _ reason: String) {
        buses[bus]?.watch = nil
        settle(.bus(bus))
        fail(bus, reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    }

    /// Tries again later, or ends if no bus is there.
    private func fail(_ bus: DesktopWatch.Bus, _ reason: String) {
        guard !isStopping else { return }
        buses[bus]?.failures += 1
        if buses[bus]?.lastError != reason { log("\(reason). It is tried again.") }
        buses[bus]?.lastError = reason
        let states = buses.values
        // At the start, one attempt each is enough.
        let limit = states.contains(where: \.hasWorked) ? Self.busAttempts : 1
        if states.allSatisfy({ $0.watch == nil && $0.failures >= limit }) {
            return stop(.failed("no bus of the desktop is there: \(reason)"))
        }
        queue.asyncAfter(deadline: .now() + Self.busPause) { [weak self] in
            guard let self, !isStopping, buses[bus]?.watch == nil else { return }
            open(bus)
        }
    }

    private func handle(_ event: DesktopEvent, from bus: DesktopWatch.Bus) {
        guard event != .synced else {
            buses[bus]?.failures = 0
            buses[bus]?.lastError = ""
            return settle(.bus(bus))
        }
        report(event)
    }

    private func settle(_ what: Unsettled) {
        guard unsettled.remove(what) != nil, unsettled.isEmpty else { return }
        perform(reporter.settled())
    }

    // MARK: The reporter

    private func report(_ event: DesktopEvent) { perform(reporter.handle(event)) }

    private func perform(_ actions: [ReporterAction]) {
        for action in actions {
            switch action {
            case .send(let request): send(request)
            case .takeInhibitor: buses[.system]?.watch?.takeInhibitor()
            case .releaseInhibitor: buses[.system]?.watch?.releaseInhibitor()
            case .start(let timer, let seconds):
                queue.asyncAfter(deadline: .now() + seconds) { [weak self] in
                    guard let self else { return }
                    perform(reporter.timerEnded(timer))
                }
            case .store(let marks): self.marks.write(marks)
            case .finished: end.set(ending ?? .stopped)
            }
        }
    }

    // MARK: The arbiter

    private func send(_ request: ReporterRequest) {
        requests.async { [weak self, arbiter] in
            let result = Result { () throws(ArbiterError) in try Self.carryOut(request, arbiter) }
            self?.enqueue { $0.finish(result) }
        }
    }

    private static func carryOut(
        _ request: ReporterRequest, _ arbiter: RemoteArbiter
    ) throws(ArbiterError) -> ReporterReply {
        let action: PolicyAction
        switch request {
        case .begin(let rank, let isRinging):
            return .begun(try arbiter.beginSystemSession(rank: rank, isRinging: isRinging))
        case .accept(let session): action = .acceptCall(session)
        case .activate(let session): action = .activate(session)
        case .end(let session, let shouldResume): action = .endSystemSession(session, shouldResume: shouldResume)
        case .setScreenLocked(let isLocked): action = .setScreenLocked(isLocked)
        case .setDoNotDisturb(let isOn): action = .setDoNotDisturb(isOn)
        }
        try arbiter.submit(action)
        return .done
    }

    private func finish(_ result: Result<ReporterReply, ArbiterError>) {
        switch result {
        case .success(let reply):
            lastError = nil
            perform(reporter.replied(reply))
        case .failure(let error):
            if lastError != error.description { log(error.description) }
            lastError = error.description
            if case .refused = error {
                perform(reporter.replied(.refused))
            } else {
                perform(reporter.replied(.unavailable))
            }
        }
    }

    private func arbiterReturned() {
        let lost = Set(reporter.sessions.filter { !arbiter.holds($0) })
        perform(reporter.arbiterReturned(lost: lost))
    }
}
