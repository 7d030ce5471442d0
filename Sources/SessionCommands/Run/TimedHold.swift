internal import Dispatch
internal import Glibc
internal import Platform
internal import SessionPolicy

/// `audiosession duck` and `audiosession pause`: a session that lowers or interrupts others for a
/// time, or until Ctrl-C.
public struct TimedHold {
    private let intent: HoldConfiguration.Intent
    private let configuration: HoldConfiguration
    private let seconds: Double?

    public init(_ intent: HoldConfiguration.Intent, seconds: Double?) throws(CommandError) {
        self.intent = intent
        configuration = try HoldConfiguration(intent)
        self.seconds = seconds
    }

    /// Holds the session for that time, or until Ctrl-C or a termination signal. Calls `report`
    /// once it is active. Throws if it is refused.
    public func run(report: (ChangeResult) throws -> Void) throws {
        let events = HoldEvents()
        guard let signals = SignalReceiver([SIGINT, SIGTERM, SIGHUP], { events.send(.signal($0)) }) else {
            throw CommandError.noThread
        }
        let session = HeldSession(configuration, events)
        try withExtendedLifetime(signals) {
            session.open(waits: false)
            defer { session.end() }
            var deadline = DispatchTime.distantFuture
            while let event = events.next(before: deadline) {
                switch event {
                case .signal: return
                case .failed(let error): throw error
                case .opened(let id):
                    if let seconds { deadline = .now() + seconds }
                    try report(result(id))
                case .notice(let notice): _ = session.handle(notice)
                }
            }
        }
    }

    private func result(_ id: SessionID) -> ChangeResult {
        let isDuck = intent == .duck
        let time = seconds.map { "for \(Text.duration($0))" } ?? "until Ctrl-C"
        return ChangeResult(
            isDuck ? "duck" : "pause",
            "Session \(id.rawValue) \(isDuck ? "ducks" : "interrupts") other sessions \(time).",
            session: id.rawValue)
    }
}

extension CommandError {
    static var noThread: CommandError {
        CommandError(
            .tryAgain, "No thread for signals can be created; the limit of processes (ulimit -u) may be reached.")
    }
}
