/// A read of a service's state that is made on request. At most one is in progress or waits for
/// its repetition; requests meanwhile cause one more.
final class BusReader {
    /// Reads once, and reports whether the service has replied; nothing after its end.
    typealias Read = (_ ended: @escaping (_ isAnswered: Bool) -> Void) -> Void
    /// Calls a function after some seconds; not after the end of the service.
    typealias Timer = (_ seconds: Double, _ body: @escaping () -> Void) -> Void

    private let timer: Timer
    private let read: Read
    private var isBusy = false
    /// Whether a request has arrived during the current read, whose reply may be older.
    private var isStale = false
    private var isEnded = false
    private var waiting: [() -> Void] = []

    /// Seconds until a service that has not replied is asked again, at first and at most.
    private static let (shortestPause, longestPause) = (3.0, 48.0)
    private var pause = shortestPause

    init(timer: @escaping Timer, _ read: @escaping Read) {
        self.timer = timer
        self.read = read
    }

    /// Reads now, or again after the current read. `attempted` is called once after the next
    /// attempt, also if it fails, or at the end.
    func request(attempted: (() -> Void)? = nil) {
        if let attempted { isEnded ? attempted() : waiting.append(attempted) }
        guard !isEnded else { return }
        guard !isBusy else {
            isStale = true
            return
        }
        start()
    }

    private func start() {
        guard !isEnded else { return }
        (isBusy, isStale) = (true, false)
        read { [self] isAnswered in ended(isAnswered) }
    }

    private func ended(_ isAnswered: Bool) {
        reportAttempt()
        guard isAnswered else {
            timer(pause) { [self] in start() }
            pause = min(2 * pause, Self.longestPause)
            return
        }
        pause = Self.shortestPause
        isBusy = false
        if isStale { start() }
    }

    /// No longer reads.
    func end() {
        isEnded = true
        reportAttempt()
    }

    private func reportAttempt() {
        let bodies = waiting
        waiting = []
        for body in bodies { body() }
    }
}
