import DesktopBridge
import DesktopEvents
import SessionArbiter
import SessionPolicy
import Testing

/// A reporter with a real arbiter in the process, which decides each request when `answer` is
/// called.
final class ReporterFixture {
    let arbiter: InProcessArbiter
    var reporter: DesktopReporter
    /// The request that has no reply.
    private(set) var request: ReporterRequest?
    private(set) var sent: [ReporterRequest] = []
    private(set) var timers: [(timer: ReporterTimer, seconds: Double)] = []
    private(set) var holdsInhibitor = false
    private(set) var marks: DesktopMarks
    private(set) var isFinished = false
    /// The sessions that the arbiter has begun for the reporter.
    private(set) var sessions: Set<SessionID> = []

    init(resumesAfterSleep: Bool = false, previous: DesktopMarks = DesktopMarks(), isSettled: Bool = true) {
        arbiter = InProcessArbiter()
        marks = previous
        reporter = DesktopReporter(resumesAfterSleep: resumesAfterSleep, fade: 0.005, previous: previous)
        if isSettled { settle() }
    }

    func start() { perform(reporter.start()) }
    func settle() { perform(reporter.settled()) }
    func report(_ event: DesktopEvent) { perform(reporter.handle(event)) }
    func stop() { perform(reporter.stop()) }

    /// Reports events, each after the requests of the one before.
    func report(all events: DesktopEvent...) {
        for event in events {
            report(event)
            answerAll()
        }
    }

    private func perform(_ actions: [ReporterAction]) {
        for action in actions {
            switch action {
            case .send(let next):
                #expect(request == nil, "one request at a time")
                request = next
                sent.append(next)
            case .takeInhibitor: holdsInhibitor = true
            case .releaseInhibitor: holdsInhibitor = false
            case .start(let timer, let seconds): timers.append((timer, seconds))
            case .store(let new): marks = new
            case .finished: isFinished = true
            }
        }
    }

    /// Lets the arbiter decide the request.
    func answer() {
        guard let current = request else { return }
        request = nil
        do throws(ArbiterError) {
            switch current {
            case .begin(let rank, let isRinging):
                let session = try arbiter.beginSystemSession(rank: rank, isRinging: isRinging)
                sessions.insert(session)
                return perform(reporter.replied(.begun(session)))
            case .accept(let session): try arbiter.submit(.acceptCall(session))
            case .activate(let session): try arbiter.submit(.activate(session))
            case .end(let session, let shouldResume):
                try arbiter.submit(.endSystemSession(session, shouldResume: shouldResume))
                sessions.remove(session)
            case .setScreenLocked(let isLocked): try arbiter.submit(.setScreenLocked(isLocked))
            case .setDoNotDisturb(let isOn): try arbiter.submit(.setDoNotDisturb(isOn))
            }
            perform(reporter.replied(.done))
        } catch {
            perform(reporter.replied(.refused))
        }
    }

    /// The arbiter does not reply.
    func fail() {
        guard request != nil else { return }
        request = nil
        perform(reporter.replied(.unavailable))
    }

    /// A rule of the arbiter refuses the request.
    func refuse() {
        guard request != nil else { return }
        request = nil
        perform(reporter.replied(.refused))
    }

    /// Ends the pauses of switches.
    func endSwitchPauses() {
        let pauses = timers.filter { if case .change = $0.timer { true } else { false } }
        timers.removeAll { if case .change = $0.timer { true } else { false } }
        for pause in pauses { perform(reporter.timerEnded(pause.timer)) }
    }

    func answerAll() { while request != nil { answer() } }

    /// Another arbiter has replaced this one, which has lost these sessions.
    func restartArbiter(losing lost: Set<SessionID>) {
        for session in lost {
            try? arbiter.submit(.endSystemSession(session, shouldResume: true))
            sessions.remove(session)
        }
        perform(reporter.arbiterReturned(lost: lost))
    }

    /// Ends the first timer.
    func endTimer() {
        guard !timers.isEmpty else { return }
        perform(reporter.timerEnded(timers.removeFirst().timer))
    }

    /// The states of the system sessions in the order of their ids: "sleep active", "call ringing".
    var states: [String] {
        sessions.sorted().compactMap { arbiter.status(of: $0)?.session }.map { session in
            let state =
                session.isDeferred ? "deferred" : !session.isActive ? "waits" : session.isRinging ? "rings" : "active"
            return "\(session.rank) \(state)"
        }
    }

    static func call(_ number: Int) -> DesktopCall { DesktopCall(service: "org.ofono", path: "/modem/\(number)") }
}
