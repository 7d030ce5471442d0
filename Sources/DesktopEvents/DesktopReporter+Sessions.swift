internal import DesktopBridge
internal import SessionPolicy

/// The order of requests that begin, change and end sessions.
extension DesktopReporter {
    /// Returns the next request for a session; nil: the arbiter knows all of them.
    ///
    /// Sleep begins first, because the machine waits for it. It ends last: what a call has
    /// interrupted would otherwise resume although the machine has slept meanwhile.
    func nextCallStep(resumesAfterSleep: Bool) -> Step? {
        if isSleeping, sleepSession == nil {
            return Step(subject: .sleep, request: .begin(.sleep, isRinging: false))
        }
        if let step = callToEnd ?? callToBegin ?? callToAccept ?? callToActivate { return step }
        if !isSleeping, let sleepSession {
            return Step(subject: .sleep, request: .end(sleepSession, shouldResume: resumesAfterSleep))
        }
        return nil
    }

    private var callToEnd: Step? {
        let ended = reportedCalls.filter { calls[$0.key]?.order != $0.value.order }
        return ended.min { $0.value.order < $1.value.order }.map { call, reported in
            Step(
                subject: .call(call, order: reported.order), request: .end(reported.session, shouldResume: true))
        }
    }

    /// Of several calls, held ones begin first: the last one that begins without ringing is heard.
    private var callToBegin: Step? {
        let new = calls.filter { reportedCalls[$0.key] == nil }
        let first = new.min { a, b in
            ((a.value.state == .held ? 0 : 1), a.value.order) < ((b.value.state == .held ? 0 : 1), b.value.order)
        }
        return first.map { call, known in
            Step(
                subject: .call(call, order: known.order),
                request: .begin(.call, isRinging: known.state == .incoming))
        }
    }

    private var callToAccept: Step? {
        let accepted = reportedCalls.filter { call, reported in
            guard let known = calls[call] else { return false }
            return reported.isRinging && known.state != .incoming
        }
        return accepted.min { $0.value.order < $1.value.order }.map { call, reported in
            Step(subject: .call(call, order: reported.order), request: .accept(reported.session))
        }
    }

    /// The arbiter makes the last call that was accepted the active one. If the user has returned
    /// to another one, that is activated.
    private var callToActivate: Step? {
        guard let foreground, calls[foreground]?.state == .active, reportedForeground != foreground,
            let reported = reportedCalls[foreground], !reported.isRinging,
            reportedCalls.values.count(where: { !$0.isRinging }) > 1
        else { return nil }
        return Step(subject: .call(foreground, order: reported.order), request: .activate(reported.session))
    }
}
