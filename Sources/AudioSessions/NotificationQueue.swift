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
    enum Warning { case longWait, loss }
    private struct State {
        var entries: [Entry] = []
        /// Whether the entries are scheduled to run.
        var isScheduled = false
        /// Whether the clock will call `checkWait`.
        var isWatched = false
        /// The warnings given since the entries last ran.
        var warnings: Set<Warning> = []
    }
    private let state = Mutex(State())
    private let clock: any SessionClock
    private let schedule: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let warn: @Sendable (Warning, _ waiting: Int, _ seconds: Int64) -> Void

    /// The number of entries that wait at most, and the wait after which a warning is given.
    private static let limit = 1_024
    private static let patience = Duration.seconds(5)

    /// `schedule` has a thread run its argument, after those of earlier calls. `warn` receives how
    /// many notifications wait, and for how long: each kind of warning once until the entries run
    /// again.
    init(
        clock: any SessionClock, schedule: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        warn: @escaping @Sendable (Warning, _ waiting: Int, _ seconds: Int64) -> Void
    ) {
        self.clock = clock
        self.schedule = schedule
        self.warn = warn
    }

    /// Adds an entry, which runs after the earlier ones. If the entry is not important, neither its
    /// wait nor its loss causes a warning.
    func append(isImportant: Bool, _ body: @escaping @Sendable () -> Void) {
        let now = clock.now
        let (isFirst, isUnwatched, isLossy) = state.withLock { state in
            state.entries.append(Entry(body: body, time: now, isImportant: isImportant))
            let isLossy = state.entries.count > Self.limit && state.entries.removeFirst().isImportant
            let isUnwatched = isImportant && !state.isWatched
            defer {
                state.isScheduled = true
                state.isWatched = state.isWatched || isUnwatched
            }
            return (!state.isScheduled, isUnwatched, isLossy)
        }
        if isLossy { give(.loss) }
        if isUnwatched { watch() }
        if isFirst { schedule { [weak self] in self?.run() } }
    }

    private func run() {
        let entries = state.withLock { state in
            defer {
                state.entries = []
                state.isScheduled = false
                state.warnings = []
            }
            return state.entries
        }
        for entry in entries { entry.body() }
    }

    private func watch() { clock.call(after: Self.patience) { [weak self] in self?.checkWait() } }

    /// Warns if an entry has waited too long; otherwise watches those that have come since.
    private func checkWait() {
        let now = clock.now
        let age = state.withLock { state in
            let age = state.entries.first(where: \.isImportant).map { now - $0.time }
            state.isWatched = age.map { $0 < Self.patience } ?? false
            return age
        }
        guard let age else { return }
        if age < Self.patience { watch() } else { give(.longWait) }
    }

    /// Gives a warning, unless it was given since the entries last ran.
    private func give(_ warning: Warning) {
        let now = clock.now
        let facts: (waiting: Int, seconds: Int64)? = state.withLock { state in
            guard let oldest = state.entries.first, state.warnings.insert(warning).inserted else { return nil }
            return (state.entries.count(where: \.isImportant), (now - oldest.time).components.seconds)
        }
        if let facts { warn(warning, facts.waiting, facts.seconds) }
    }
}
