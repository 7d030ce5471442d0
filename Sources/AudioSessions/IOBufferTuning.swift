internal import SessionPolicy

/// The algorithm that finds the shortest I/O buffer without xruns. It is pure: the caller supplies
/// measurements and carries out the returned action, and time is the number of rendered frames.
///
/// 1. A buffer that was free of xruns for the hold is halved, unless the result is too short.
/// 2. An xrun doubles the buffer and counts against it. A buffer with as many xruns against it as
///    `tries` is too short, and so is every shorter one: it is no longer requested. A buffer that
///    was free of xruns for `trust` has none against it. Where the server reports no xruns,
///    rendering that falls behind real time has the same effect.
/// 3. Xruns shortly after a change of the period are ignored: the change may have caused them.
/// 4. The tuner requests nothing beyond the limits, and nothing twice from a server that keeps its
///    period, until something changes.
/// 5. Changes by others are accepted (HW-2). A period that is longer than the tuner's request was
///    chosen independently of all requests, so it is not shortened; xruns still lengthen it.
/// 6. With another sample rate or another server, all results are discarded.
///
/// The algorithm therefore requests a longer buffer at most `tries` times for each buffer between
/// the limits, and as often again for each `trust` that passes. If all shorter buffers have xruns,
/// `tries` of them are audible before the tuner settles.
package struct IOBufferTuning: Sendable {
    package typealias Step = IOBufferTuningStep
    package typealias Facts = TuningFacts

    /// The action to take.
    package enum Next: Equatable, Sendable {
        /// Measure again after this many frames, or when something changes.
        case look(afterFrames: Int)
        /// Request a period, and measure again.
        case ask(frames: Int)
        /// Measure again when something changes.
        case rest
    }

    private enum Phase {
        /// The current state is unknown.
        case paused
        /// A period was requested; its answer is awaited until a frame.
        case asked(frames: Int, until: UInt64)
        /// Xruns are ignored until a frame (rule 3).
        case grace(until: UInt64)
        /// No xrun since a frame. `pace` is a measurement at most one hold ago: rendering must keep
        /// up with real time since then.
        case clean(since: UInt64, pace: Facts)
    }

    private let configuration: IOBufferTuningConfiguration
    private var phase = Phase.paused
    private var now: Facts?
    private var log = TuningLog()
    /// The last requested period and the resulting one, in frames.
    private var request: (asked: Int, got: Int)?
    /// How many xruns count against each period, in frames (rule 2).
    private var strikes: [Int: Int] = [:]
    /// How many of the strikes against the requested period belong to the period that the server
    /// kept instead, if it applies the request after all.
    private var strikesWhileRefused = 0
    /// The driver's xrun count up to which xruns have been handled or ignored.
    private var handledXruns = 0
    /// Whether the server has refused a shorter or a longer period since the last change.
    private var isRefused: (shorter: Bool, longer: Bool) = (false, false)
    private var isSetByOthers = false
    private var isFirstStart = true
    private var settlement: IOBufferTuningSettlement?

    package init(_ configuration: IOBufferTuningConfiguration) { self.configuration = configuration }

    /// Returns the steps since the last call.
    package mutating func takeSteps() -> [Step] { log.takeSteps() }

    /// Discards the results and starts again with the current period.
    package mutating func restart() {
        strikes = [:]
        strikesWhileRefused = 0
        isRefused = (false, false)
        isSetByOthers = false
        isFirstStart = true
        phase = .paused
    }

    package mutating func end(_ ending: IOBufferTuningEnding) { log.append(.ended(ending)) }

    /// Returns the action for the measurements. Nil means that the session is not active, or that
    /// nothing is rendered, as without a server.
    package mutating func advance(_ facts: Facts?) -> Next {
        guard let facts else {
            if case .paused = phase {} else { log.append(.paused) }
            phase = .paused
            return .rest
        }
        let before = now
        now = facts
        log.update(facts)
        if let before, before.server != facts.server || before.sampleRate != facts.sampleRate {
            restart()
            request = nil
        }
        if case .paused = phase {
            begin(facts)
        } else if let before, before.periodFrames != facts.periodFrames {
            recordChange(from: before.periodFrames, facts)
        }
        return decide(facts)
    }

    // MARK: Changes

    /// Starts, or continues after a pause.
    private mutating func begin(_ facts: Facts) {
        log.append(isFirstStart ? .began : .resumed)
        isFirstStart = false
        settlement = nil
        if let request, request.asked != facts.periodFrames, request.got != facts.periodFrames {
            // The request was made but not granted: a reactivation of the session applies it again.
            phase = .asked(frames: request.asked, until: facts.frame + answerFrames(facts))
        } else {
            phase = .grace(until: facts.frame + graceFrames(facts))
        }
    }

    /// Handles a change of the period: the server's answer to a request, or a change by others.
    private mutating func recordChange(from old: Int, _ facts: Facts) {
        let new = facts.periodFrames
        let isAnswer = isAnswer(from: old, new)
        phase = .grace(until: facts.frame + graceFrames(facts))
        settlement = nil
        isRefused = (false, false)
        isSetByOthers = false
        guard let request, isAnswer else {
            isSetByOthers = request.map { new > max($0.asked, $0.got) } ?? false
            strikesWhileRefused = 0
            return log.append(.changedByOthers(from: old))
        }
        if new == request.asked, old == request.got { moveStrikes(from: new, to: old) }
        self.request = (request.asked, new)
        log.append(new < old ? .shortened(from: old) : .lengthened(from: old))
    }

    /// Charges the xruns since a request to the period in which they occurred: the server seemed to
    /// refuse the request, but has applied it late.
    private mutating func moveStrikes(from asked: Int, to kept: Int) {
        guard strikesWhileRefused > 0 else { return }
        strikes[asked, default: 0] -= strikesWhileRefused
        strikes[kept, default: 0] += strikesWhileRefused
        strikesWhileRefused = 0
    }

    /// Returns whether a new period is the server's answer to the request. A server may round:
    /// while an answer is awaited, a longer period up to the requested one answers a request for a
    /// longer one, and any shorter period a request for a shorter one.
    private func isAnswer(from old: Int, _ new: Int) -> Bool {
        if let request, new == request.asked || new == request.got { return true }
        guard case .asked(let frames, _) = phase else { return false }
        return frames < old ? new < old : new > old && new <= frames
    }

    // MARK: Decisions

    /// Returns the next action for the phase: waits for an answer, or ignores xruns, or lengthens
    /// after an xrun, or shortens after the hold.
    private mutating func decide(_ facts: Facts) -> Next {
        switch phase {
        case .paused: return .rest
        case .asked(let frames, let until):
            guard facts.frame >= until else { return .look(afterFrames: Int(until - facts.frame)) }
            log.append(.refused(asked: frames))
            if frames < facts.periodFrames { isRefused.shorter = true } else { isRefused.longer = true }
            request?.got = facts.periodFrames
            phase = .grace(until: facts.frame)
            return decide(facts)
        case .grace(let until):
            guard facts.frame >= until else { return .look(afterFrames: Int(until - facts.frame)) }
            handledXruns = facts.xruns
            phase = .clean(since: facts.frame, pace: facts)
            return decide(facts)
        case .clean(let since, let pace):
            guard facts.xruns <= handledXruns else { return backOff(facts, .xrun) }
            guard !isLate(facts, pace) else { return backOff(facts, .late) }
            let isOld = rendered(facts, since: pace.frame) >= frames(configuration.hold, facts)
            phase = .clean(since: since, pace: isOld ? facts : pace)
            return shorten(facts, clean: rendered(facts, since: since))
        }
    }

    /// Handles an xrun, or rendering that falls behind real time, by rule 2: counts it against the
    /// period and requests a longer one, or settles if the period is too short and no longer one is
    /// possible.
    private mutating func backOff(_ facts: Facts, _ cause: Step.Kind) -> Next {
        let period = facts.periodFrames
        handledXruns = facts.xruns
        strikes[periodToCharge(period), default: 0] += 1
        if isRefused.longer, periodToCharge(period) != period { strikesWhileRefused += 1 }
        phase = .clean(since: facts.frame, pace: facts)
        log.append(cause)
        let longer = longer(facts)
        if let longer, !isRefused.longer { return ask(longer, facts) }
        if isTooShort(period) { recordSettlement(longer == nil ? .longest : .serverKeepsIt) }
        return .look(afterFrames: frames(configuration.hold, facts))
    }

    /// Halves the buffer or settles, by rule 1.
    private mutating func shorten(_ facts: Facts, clean: Int) -> Next {
        let period = facts.periodFrames
        let hold = frames(configuration.hold, facts)
        if clean >= frames(configuration.trust, facts) {
            strikes[periodToCharge(period)] = nil
            strikesWhileRefused = 0
        }
        // A period beyond the upper limit is shortened without waiting.
        guard clean >= hold || period > limits(facts).upperBound else {
            return .look(afterFrames: hold - clean)
        }
        guard let shorter = shorter(facts) else { return settle(.shortest, facts) }
        guard !isRefused.shorter else { return settle(.serverKeepsIt, facts) }
        guard !isSetByOthers else { return settle(.setByOthers, facts) }
        guard !isTooShort(shorter) else { return settle(.shorterHasXruns, facts) }
        return ask(shorter, facts)
    }

    /// Requests a period, in frames.
    private mutating func ask(_ period: Int, _ facts: Facts) -> Next {
        phase = .asked(frames: period, until: facts.frame + answerFrames(facts))
        request = (period, period)
        strikesWhileRefused = 0
        settlement = nil
        return .ask(frames: period)
    }

    private mutating func recordSettlement(_ reason: IOBufferTuningSettlement) {
        if settlement != reason { log.append(.settled(reason)) }
        settlement = reason
    }

    /// Settles, and measures again later: to check whether rendering keeps up, and to forget what
    /// counts against the period.
    private mutating func settle(_ reason: IOBufferTuningSettlement, _ facts: Facts) -> Next {
        recordSettlement(reason)
        return .look(afterFrames: frames(configuration.hold, facts))
    }

    // MARK: Limits (rule 4)

    /// Returns the configured limits, restricted to what can be requested at this rate (HW-4).
    private func limits(_ facts: Facts) -> ClosedRange<Int> {
        let minimumRequestable = (Preferences.ioBufferDurations.lowerBound * Double(facts.sampleRate)).rounded(.up)
        let shortest = max(configuration.periods.lowerBound, Int(minimumRequestable))
        return shortest...max(shortest, configuration.periods.upperBound)
    }

    /// Returns half the period, within the limits; nil if it is already the shortest.
    private func shorter(_ facts: Facts) -> Int? {
        let limits = limits(facts)
        let next = min(facts.periodFrames / 2, limits.upperBound)
        return next >= limits.lowerBound ? next : nil
    }

    /// Returns the next longer period, within the limits, that does not count as too short, or the
    /// upper limit if there is none; nil if the period is already the longest.
    private func longer(_ facts: Facts) -> Int? {
        let limits = limits(facts)
        var next = facts.periodFrames
        repeat {
            next = min(max(2 * next, limits.lowerBound), limits.upperBound)
        } while next < limits.upperBound && isTooShort(next)
        return next > facts.periodFrames ? next : nil
    }

    /// Returns the period to count an xrun against. If the server rounded a request down to
    /// `period`, this is the requested one, since requesting it again would have the same result.
    private func periodToCharge(_ period: Int) -> Int {
        request.map { $0.got == period ? max($0.asked, period) : period } ?? period
    }

    /// Returns whether a period, or a longer one, has too many xruns counted against it (rule 2).
    private func isTooShort(_ period: Int) -> Bool {
        strikes.contains { $0.key >= period && $0.value >= configuration.tries }
    }

    // MARK: Time

    /// Returns whether rendering has fallen behind real time by far more than clock drift or a
    /// delayed measurement explains: the graph cannot keep up.
    private func isLate(_ facts: Facts, _ pace: Facts) -> Bool {
        let passed = frames(facts.time - pace.time, facts)
        let allowed = passed / 20 + 2 * facts.periodFrames + facts.sampleRate / 10
        return passed - rendered(facts, since: pace.frame) > allowed
    }

    /// Returns the number of frames in which xruns are ignored (rule 3): 8 cycles, at least 20 ms,
    /// because the server may report xruns late. No more, because with a period that is much too
    /// short, xruns are audible all that time.
    private func graceFrames(_ facts: Facts) -> UInt64 { UInt64(max(8 * facts.periodFrames, facts.sampleRate / 50)) }

    /// Returns the number of frames to wait for a new period. A server may report it some time
    /// after accepting the request.
    private func answerFrames(_ facts: Facts) -> UInt64 { UInt64(facts.sampleRate / 4 + facts.periodFrames) }

    private func rendered(_ facts: Facts, since frame: UInt64) -> Int {
        facts.frame > frame ? Int(clamping: facts.frame - frame) : 0
    }

    private func frames(_ duration: Duration, _ facts: Facts) -> Int {
        Int(duration / .seconds(1) * Double(facts.sampleRate))
    }
}
