internal import Platform

/// A bounded queue of notifications that wait until a thread runs them. Adding one never waits: at
/// the limit the oldest is lost, and a warning reports that, and a long wait. Any thread.
final class NotificationQueue: Sendable {
    private struct Entry {
        let body: @Sendable () -> Void
        let time: Duration
        /// Whether its loss or wait is worth a warning.
        let isImportant: Bool
    }
    private enum Warning { case waiting, lost }
    private struct State {
        var entries: [Entry] = []
        /// Whether the entries are scheduled to run.
        var isScheduled = false
        /// The warnings given since the entries last ran.
        var warnings: Set<Warning> = []
    }
    private let state = Mutex(State())
    private let clock: any SessionClock
    private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let warn: @Sendable (_ waiting: Int, _ seconds: Int64, _ isLossy: Bool) -> Void

    /// The number of entries that wait at most, and the wait after which a warning is given.
    private static let limit = 1_024
    private static let patience = Duration.seconds(5)

    /// `schedule` has a thread run its argument, after those of earlier calls. `warn` receives how
    /// many notifications wait, for how long, and whether some are lost: each kind of warning once
    /// until the entries run again.
    init(
        clock: any SessionClock, schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        warn: @escaping @Sendable (_ waiting: Int, _ seconds: Int64, _ isLossy: Bool) -> Void
    ) {
        self.clock = clock
        self.schedule = schedule
        self.warn = warn
    }

    /// Adds an entry, which runs after the earlier ones. If the entry is not important, neither its
    /// wait nor its loss causes a warning.
    func append(isImportant: Bool, _ body: @escaping @Sendable () -> Void) {
        let now = clock.now
        let (isFirst, warning) = state.withLock { state in
            state.entries.append(Entry(body: body, time: now, isImportant: isImportant))
            let isLossy = state.entries.count > Self.limit && state.entries.removeFirst().isImportant
            defer { state.isScheduled = true }
            return (!state.isScheduled, isImportant ? Self.warning(isLossy, now, &state) : nil)
        }
        if let warning { warn(warning.waiting, warning.seconds, warning.isLossy) }
        if isFirst { schedule { [weak self] in self?.run() } }
    }

    private func run() {
        let entries = state.withLock { state in
            defer { state = State() }
            return state.entries
        }
        for entry in entries { entry.body() }
    }

    private static func warning(
        _ isLossy: Bool, _ now: Duration, _ state: inout State
    ) -> (waiting: Int, seconds: Int64, isLossy: Bool)? {
        guard let oldest = state.entries.first, isLossy || now - oldest.time >= patience else { return nil }
        guard state.warnings.insert(isLossy ? .lost : .waiting).inserted else { return nil }
        return (state.entries.count(where: \.isImportant), (now - oldest.time).components.seconds, isLossy)
    }
}
