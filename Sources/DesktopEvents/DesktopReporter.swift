package import DesktopBridge
package import SessionPolicy

/// Reports events of the desktop to the arbiter: a state machine without threads.
///
/// Events change what should be so. The difference between that and what the arbiter knows is the
/// next request. A flood of events therefore costs at most one request at a time, and an
/// event that is undone before its turn costs none.
package struct DesktopReporter {
    /// A call as the arbiter knows it.
    struct ReportedCall {
        var session: SessionID
        var isRinging: Bool
        /// Its place among all calls. A service may use the path of a call again for the next one.
        var order: Int
        /// Whether the machine has slept since it began.
        var hasSlept: Bool
    }

    let resumesAfterSleep: Bool
    /// Seconds from the beginning of sleep at the arbiter until all sound has faded out.
    private let fadeSeconds: Double

    // What should be so.
    var isSleeping = false
    /// The calls of modems, with the order in which they began.
    var calls: [DesktopCall: (state: DesktopCall.State, order: Int)] = [:]
    /// The call that became active last.
    var foreground: DesktopCall?
    private var locks: [String: Bool] = [:]
    private var disturbances: [String: Bool] = [:]
    /// Whether all services have reported their state. Until then, nothing is ended that a killed
    /// process has set.
    private var isSettled = false
    /// Whether calls may begin to ring. Do-not-disturb holds only calls that begin after it.
    private(set) var mayRing = false
    private var isStopped = false

    // What the arbiter knows.
    var sleepSession: SessionID?
    var reportedCalls: [DesktopCall: ReportedCall] = [:]
    var reportedForeground: DesktopCall?
    /// Nil: not known.
    private var reportedLock: Bool?
    private var reportedDoNotDisturb: Bool?
    private var stored: DesktopMarks

    /// The request without a reply.
    private var pending: Step?
    /// Whether the next request waits for the timer.
    private var isPaused = false
    private var pause = Self.shortestPause
    private var pauseNumber = 0
    /// Beginnings that the arbiter has refused. They are not repeated.
    private(set) var refused: Set<Step> = []
    /// Switches that have just been changed, and wait before the next change.
    private var resting: Set<DesktopSwitch> = []
    private var sleepNumber = 0
    private var lastOrder = 0

    /// Calls beyond this number are ignored.
    private static let maximumCalls = 64
    /// Seconds between two attempts, at first and at most.
    private static let (shortestPause, longestPause) = (1.0, 30.0)
    /// Seconds between two changes of a switch, and the longest time that calls which ring wait for
    /// the switches.
    private static let (switchPause, ringingLimit) = (0.5, 2.0)
    /// Seconds after which the machine may sleep in any case.
    package static let inhibitorLimit = 0.9
    /// Seconds, in addition to the fade, that other programs need to pause.
    private static let reactionTime = 0.2

    /// `previous` is what a killed process has stored, `fade` the seconds of the arbiter's fade.
    package init(resumesAfterSleep: Bool, fade: Double, previous: DesktopMarks = DesktopMarks()) {
        self.resumesAfterSleep = resumesAfterSleep
        fadeSeconds = min(max(0, fade) + Self.reactionTime, Self.inhibitorLimit - 0.1)
        stored = previous
        (reportedLock, reportedDoNotDisturb) = (previous.isScreenLocked, previous.isDoNotDisturbOn)
    }

    /// The sessions that the arbiter knows.
    package var sessions: [SessionID] { (sleepSession.map { [$0] } ?? []) + reportedCalls.values.map(\.session) }

    // MARK: Events

    /// Before the first event.
    package mutating func start() -> [ReporterAction] { [.start(.ringing, seconds: Self.ringingLimit)] }

    package mutating func handle(_ event: DesktopEvent) -> [ReporterAction] {
        guard !isStopped else { return [] }
        var actions: [ReporterAction] = []
        switch event {
        case .sleeping(let isSleeping): actions = setSleeping(isSleeping)
        case .lock(let source, let isLocked): locks[source] = isLocked
        case .doNotDisturb(let source, let isOn): disturbances[source] = isOn
        case .call(let call, let state): set(call, state)
        case .synced: break
        }
        return actions + proceed()
    }

    /// All buses have reported their services, or are not there.
    package mutating func settled() -> [ReporterAction] {
        (isSettled, mayRing) = (true, true)
        return proceed()
    }

    private mutating func setSleeping(_ isSleeping: Bool) -> [ReporterAction] {
        let begins = isSleeping && !self.isSleeping
        self.isSleeping = isSleeping
        refused = refused.filter { $0.subject != .sleep }
        guard begins else { return isSleeping ? [] : [.takeInhibitor] }
        sleepNumber += 1
        for call in reportedCalls.keys { reportedCalls[call]?.hasSlept = true }
        // The machine does not wait for a pause.
        endPause()
        return [.start(.inhibitor(sleep: sleepNumber), seconds: Self.inhibitorLimit)]
    }

    private mutating func set(_ call: DesktopCall, _ state: DesktopCall.State?) {
        let known = calls[call]
        guard let state else {
            calls[call] = nil
            if let order = known?.order {
                refused = refused.filter { $0.subject != .call(call, order: order) }
            }
            if foreground == call { foreground = nil }
            return
        }
        guard known != nil || calls.count < Self.maximumCalls else { return }
        if state == .active, known?.state != .active { foreground = call }
        lastOrder += known == nil ? 1 : 0
        calls[call] = (state, known?.order ?? lastOrder)
    }

    package mutating func timerEnded(_ timer: ReporterTimer) -> [ReporterAction] {
        switch timer {
        case .retry(let number):
            if number == pauseNumber { isPaused = false }
        case .ringing: mayRing = true
        case .change(let desktopSwitch): resting.remove(desktopSwitch)
        case .inhibitor(let number):
            if number == sleepNumber, isSleeping { return [.releaseInhibitor] + proceed() }
        }
        return proceed()
    }

    // MARK: The arbiter

    package mutating func replied(_ reply: ReporterReply) -> [ReporterAction] {
        guard let step = pending.take() else { return [] }
        var actions: [ReporterAction] = []
        switch reply {
        case .unavailable:
            // It may have been carried out.
            if step.subject == .lock { reportedLock = nil }
            if step.subject == .doNotDisturb { reportedDoNotDisturb = nil }
            return retry()
        case .begun(let session): actions = begun(session, step)
        case .done, .refused:
            if case .begin = step.request {
                refused.insert(step)
            } else {
                actions = finished(step)
            }
        }
        pause = Self.shortestPause
        return actions + proceed()
    }

    private mutating func retry() -> [ReporterAction] {
        if isStopped { return [.finished] }
        // Sleep may have begun while the request had no reply.
        if sleepToBegin != nil, pause > Self.shortestPause { pause = Self.shortestPause }
        isPaused = true
        pauseNumber += 1
        defer { pause = min(2 * pause, Self.longestPause) }
        return [.start(.retry(pauseNumber), seconds: pause)]
    }

    private mutating func endPause() { (isPaused, pause) = (false, Self.shortestPause) }

    private mutating func begun(_ session: SessionID, _ step: Step) -> [ReporterAction] {
        switch step.subject {
        case .sleep:
            sleepSession = session
            return isSleeping ? [.start(.inhibitor(sleep: sleepNumber), seconds: fadeSeconds)] : []
        case .call(let call, let order):
            let isRinging = step.request == .begin(.call, isRinging: true)
            reportedCalls[call] = ReportedCall(
                session: session, isRinging: isRinging, order: order, hasSlept: isSleeping)
            if !isRinging { reportedForeground = call }
        case .lock, .doNotDisturb: break
        }
        return []
    }

    private mutating func finished(_ step: Step) -> [ReporterAction] {
        switch (step.subject, step.request) {
        case (.sleep, _): sleepSession = nil
        case (.call(let call, _), .accept):
            reportedCalls[call]?.isRinging = false
            reportedForeground = call
        case (.call(let call, _), .activate): reportedForeground = call
        case (.call(let call, _), _):
            reportedCalls[call] = nil
            // The arbiter activates another call.
            if reportedForeground == call { reportedForeground = nil }
        case (.lock, let request):
            reportedLock = request == .setScreenLocked(true)
            return rest(.lock) + store { $0.isScreenLocked = request == .setScreenLocked(true) }
        case (.doNotDisturb, let request):
            reportedDoNotDisturb = request == .setDoNotDisturb(true)
            return rest(.doNotDisturb) + store { $0.isDoNotDisturbOn = request == .setDoNotDisturb(true) }
        }
        return []
    }

    /// A service that floods the bus changes a switch only rarely.
    private mutating func rest(_ desktopSwitch: DesktopSwitch) -> [ReporterAction] {
        guard !isStopped else { return [] }
        resting.insert(desktopSwitch)
        return [.start(.change(desktopSwitch), seconds: Self.switchPause)]
    }

    private mutating func store(_ change: (inout DesktopMarks) -> Void) -> [ReporterAction] {
        var marks = stored
        change(&marks)
        guard marks != stored else { return [] }
        stored = marks
        return [.store(marks)]
    }

    /// Another arbiter is connected. It does not know the `lost` sessions, and perhaps not the
    /// switches.
    package mutating func arbiterReturned(lost: Set<SessionID>) -> [ReporterAction] {
        if let session = sleepSession, lost.contains(session) { sleepSession = nil }
        reportedCalls = reportedCalls.filter { !lost.contains($0.value.session) }
        if let call = reportedForeground, reportedCalls[call] == nil { reportedForeground = nil }
        if wantsLock { reportedLock = nil }
        if wantsDoNotDisturb { reportedDoNotDisturb = nil }
        (refused, resting) = ([], [])
        endPause()
        return proceed()
    }

    // MARK: The end

    /// Undoes everything. `finished` follows, unless a request is never answered.
    package mutating func stop() -> [ReporterAction] {
        guard !isStopped else { return [] }
        isStopped = true
        isSettled = true
        isPaused = false
        resting = []
        (isSleeping, calls, foreground, locks, disturbances) = (false, [:], nil, [:], [:])
        return [.releaseInhibitor] + proceed()
    }

    // MARK: Requests

    private var wantsLock: Bool { locks.values.contains(true) }
    private var wantsDoNotDisturb: Bool { disturbances.values.contains(true) }

    /// Sends the next request, if there is one and no other is in progress.
    private mutating func proceed() -> [ReporterAction] {
        guard pending == nil, !isPaused else { return [] }
        // Do-not-disturb holds a call only if it is on before the call rings.
        let first = sleepToBegin ?? (wantsDoNotDisturb ? doNotDisturbToSet : nil)
        guard let step = first ?? nextSessionStep() ?? lockToSet ?? doNotDisturbToSet else {
            return isStopped ? [.finished] : []
        }
        pending = step
        // A killed process leaves a mark for what it may have set.
        let marks = store { marks in
            if step.request == .setScreenLocked(true) { marks.isScreenLocked = true }
            if step.request == .setDoNotDisturb(true) { marks.isDoNotDisturbOn = true }
        }
        return marks + [.send(step.request)]
    }

    private var lockToSet: Step? {
        guard wantsLock != reportedLock, wantsLock || isSettled, !resting.contains(.lock) else { return nil }
        return Step(subject: .lock, request: .setScreenLocked(wantsLock))
    }

    private var doNotDisturbToSet: Step? {
        guard wantsDoNotDisturb != reportedDoNotDisturb, wantsDoNotDisturb || isSettled,
            !resting.contains(.doNotDisturb)
        else { return nil }
        return Step(subject: .doNotDisturb, request: .setDoNotDisturb(wantsDoNotDisturb))
    }
}
