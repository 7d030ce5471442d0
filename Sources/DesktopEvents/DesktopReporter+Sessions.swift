internal import DesktopBridge
internal import SessionPolicy

/// The order of requests that begin, change and end sessions.
extension DesktopReporter {
    /// A request and what it is for.
    struct Step: Hashable {
        enum Subject: Hashable {
            case sleep
            case call(DesktopCall, order: Int)
            case lock, doNotDisturb
        }
        var subject: Subject
        var request: ReporterRequest
    }

    /// Sleep begins before everything else, because the machine waits for it.
    var sleepToBegin: Step? {
        let step = Step(subject: .sleep, request: .begin(.sleep, isRinging: false))
        return isSleeping && sleepSession == nil && !refused.contains(step) ? step : nil
    }

    /// Returns the next request for a call or the end of sleep; nil: the arbiter knows all of them.
    ///
    /// Sleep ends last: what a call has interrupted would otherwise resume although the machine has
    /// slept meanwhile.
    func nextSessionStep() -> Step? {
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
                subject: .call(call, order: reported.order),
                request: .end(reported.session, shouldResume: resumesAfterSleep || !reported.hasSlept))
        }
    }

    /// Of several calls, held ones begin first: the last one that begins without ringing is heard.
    private var callToBegin: Step? {
        let new = calls.filter { call, known in
            reportedCalls[call] == nil && (mayRing || known.state != .incoming)
                && !refused.contains(beginning(of: call, known.state, order: known.order))
        }
        let first = new.min { a, b in
            ((a.value.state == .held ? 0 : 1), a.value.order) < ((b.value.state == .held ? 0 : 1), b.value.order)
        }
        return first.map { beginning(of: $0, $1.state, order: $1.order) }
    }

    private func beginning(of call: DesktopCall, _ state: DesktopCall.State, order: Int) -> Step {
        Step(subject: .call(call, order: order), request: .begin(.call, isRinging: state == .incoming))
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
