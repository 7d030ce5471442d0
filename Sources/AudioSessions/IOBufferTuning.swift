internal import SessionPolicy

/// Finds the shortest I/O buffer without xruns. Pure: it is told what is so and says what to do; it asks nobody itself, and its time is the
/// frames that were rendered.
///
/// 1. A buffer that was clean for the hold is halved, unless what comes out is too short.
/// 2. An xrun doubles it, and counts against it. One that has as many against it as `tries` says is too short, and every shorter one with it: it is
///    not asked for any more. One that is clean for `trust` has none against it any longer.
///    Sound that takes longer than it lasts has the same effect, where a server tells of no xruns.
/// 3. Xruns shortly after a change of the period say nothing: the change may have caused them.
/// 4. Nothing is asked for beyond the limits, and nothing twice of a server that keeps its period, until something changes.
/// 5. What others change is taken as it is (HW-2). A period that is longer than our wish was chosen past all wishes, so it is not shortened; xruns
///    lengthen it all the same.
/// 6. Another rate or another server is new ground: what was found out is forgotten.
///
/// So it asks for a longer buffer at most `tries` times for each buffer between the limits, and as often again for each `trust` that passes: an app in
/// which all shorter buffers have xruns hears `tries` of them and is settled.
package struct IOBufferTuning: Sendable {
    package typealias Step = IOBufferTuner.Step

    /// What is so at one moment.
    package struct Facts: Equatable, Sendable {
        /// Frames rendered so far, and xruns counted so far; from anywhere on.
        package var frame: UInt64
        package var xruns: Int
        package var sampleRate: Int
        package var periodFrames: Int
        package var server: String
        /// By a steady clock; only for rule 2.
        package var time: Duration

        package init(frame: UInt64, xruns: Int, sampleRate: Int, periodFrames: Int, server: String, time: Duration) {
            self.frame = frame
            self.xruns = xruns
            self.sampleRate = sampleRate
            self.periodFrames = periodFrames
            self.server = server
            self.time = time
        }
    }

    /// What to do.
    package enum Next: Equatable, Sendable {
        /// Look again after so many frames, or when something changes.
        case look(afterFrames: Int)
        /// Ask for a period, and look again.
        case ask(frames: Int)
        /// Look again when something changes.
        case rest
    }

    private enum Phase {
        /// Nothing is known of what is so now.
        case paused
        case asked(frames: Int, until: UInt64)
        /// Xruns say nothing.
        case grace(until: UInt64)
        /// Without xruns since a frame. Whether the sound keeps up is seen since a moment that is a hold ago at most.
        case clean(since: UInt64, pace: Facts)
    }

    private let configuration: IOBufferTuner.Configuration
    private var phase = Phase.paused
    private var now: Facts?
    private var log = TuningLog()
    /// What was asked for last, and what came of it.
    private var wish: (asked: Int, got: Int)?
    /// Xruns against a period.
    private var strikes: [Int: Int] = [:]
    /// Xruns that are known already.
    private var seen = 0
    /// What the server keeps its period from.
    private var refuses: (shorter: Bool, longer: Bool) = (false, false)
    private var isSetByOthers = false
    private var isNewGround = true
    private var settlement: IOBufferTuner.Settlement?

    package init(_ configuration: IOBufferTuner.Configuration) { self.configuration = configuration }

    /// What has happened since the last call.
    package mutating func takeSteps() -> [Step] { log.take() }

    /// Forgets what was found out, and begins again with the present period.
    package mutating func restart() {
        strikes = [:]
        refuses = (false, false)
        isSetByOthers = false
        isNewGround = true
        phase = .paused
    }

    package mutating func end(_ ending: IOBufferTuner.Ending) { log.note(.ended(ending)) }

    /// What to do now that this is so; nil: the session is not active, or no server is there.
    package mutating func advance(_ facts: Facts?) -> Next {
        guard let facts else {
            if case .paused = phase {} else { log.note(.paused) }
            phase = .paused
            return .rest
        }
        let before = now
        now = facts
        log.follow(facts)
        if let before, before.server != facts.server || before.sampleRate != facts.sampleRate {
            restart()
            wish = nil
        }
        if case .paused = phase {
            begin(facts)
        } else if let before, before.periodFrames != facts.periodFrames {
            noteChange(from: before.periodFrames, facts)
        }
        return decide(facts)
    }

    // MARK: What has changed

    private mutating func begin(_ facts: Facts) {
        log.note(isNewGround ? .began : .resumed)
        isNewGround = false
        settlement = nil
        if let wish, wish.asked != facts.periodFrames, wish.got != facts.periodFrames {
            // Carried out again by whoever made it count again.
            phase = .asked(frames: wish.asked, until: facts.frame + answerFrames(facts))
        } else {
            phase = .grace(until: facts.frame + graceFrames(facts))
        }
    }

    private mutating func noteChange(from old: Int, _ facts: Facts) {
        let new = facts.periodFrames
        let isAnswer = isAnswer(from: old, new)
        phase = .grace(until: facts.frame + graceFrames(facts))
        settlement = nil
        refuses = (false, false)
        isSetByOthers = false
        guard let wish, isAnswer else {
            isSetByOthers = wish.map { new > max($0.asked, $0.got) } ?? false
            return log.note(.changedByOthers(from: old))
        }
        self.wish = (wish.asked, new)
        log.note(new < old ? .shortened(from: old) : .lengthened(from: old))
    }

    /// A server may round: what it gives lies between the period before and what was asked for, or is shorter.
    private func isAnswer(from old: Int, _ new: Int) -> Bool {
        if let wish, new == wish.asked || new == wish.got { return true }
        guard case .asked(let frames, _) = phase else { return false }
        return frames < old ? new < old : new > old && new <= frames
    }

    // MARK: What to do

    private mutating func decide(_ facts: Facts) -> Next {
        switch phase {
        case .paused: return .rest
        case .asked(let frames, let until):
            guard facts.frame >= until else { return .look(afterFrames: Int(until - facts.frame)) }
            log.note(.refused(asked: frames))
            if frames < facts.periodFrames { refuses.shorter = true } else { refuses.longer = true }
            wish?.got = facts.periodFrames
            phase = .grace(until: facts.frame)
            return decide(facts)
        case .grace(let until):
            guard facts.frame >= until else { return .look(afterFrames: Int(until - facts.frame)) }
            seen = facts.xruns
            phase = .clean(since: facts.frame, pace: facts)
            return decide(facts)
        case .clean(let since, let pace):
            guard facts.xruns <= seen else { return backOff(facts, .xrun) }
            guard !isLate(facts, pace) else { return backOff(facts, .late) }
            let isOld = rendered(facts, since: pace.frame) >= frames(configuration.hold, facts)
            phase = .clean(since: since, pace: isOld ? facts : pace)
            return shorten(facts, clean: rendered(facts, since: since))
        }
    }

    /// Rule 2.
    private mutating func backOff(_ facts: Facts, _ cause: Step.Kind) -> Next {
        let period = facts.periodFrames
        seen = facts.xruns
        strikes[charged(period), default: 0] += 1
        phase = .clean(since: facts.frame, pace: facts)
        log.note(cause)
        let longer = longer(facts)
        if let longer, !refuses.longer { return ask(longer, facts) }
        if isTooShort(period) { note(longer == nil ? .longest : .serverKeepsIt) }
        return .look(afterFrames: frames(configuration.hold, facts))
    }

    /// Rule 1.
    private mutating func shorten(_ facts: Facts, clean: Int) -> Next {
        let period = facts.periodFrames
        let hold = frames(configuration.hold, facts)
        if clean >= frames(configuration.trust, facts) { strikes[charged(period)] = nil }
        // Longer than the limit: there is nothing to wait for.
        guard clean >= hold || period > limits(facts).upperBound else {
            return .look(afterFrames: hold - clean)
        }
        guard let shorter = shorter(facts) else { return settle(.shortest, facts) }
        guard !refuses.shorter else { return settle(.serverKeepsIt, facts) }
        guard !isSetByOthers else { return settle(.setByOthers, facts) }
        guard !isTooShort(shorter) else { return settle(.shorterHasXruns, facts) }
        return ask(shorter, facts)
    }

    private mutating func ask(_ period: Int, _ facts: Facts) -> Next {
        phase = .asked(frames: period, until: facts.frame + answerFrames(facts))
        wish = (period, period)
        settlement = nil
        return .ask(frames: period)
    }

    private mutating func note(_ reason: IOBufferTuner.Settlement) {
        if settlement != reason { log.note(.settled(reason)) }
        settlement = reason
    }

    /// Comes back to see whether the sound keeps up, and to forget what counts against the period.
    private mutating func settle(_ reason: IOBufferTuner.Settlement, _ facts: Facts) -> Next {
        note(reason)
        return .look(afterFrames: frames(configuration.hold, facts))
    }

    // MARK: Rule 4

    /// As configured, and such as can be wished for at this rate (HW-4).
    private func limits(_ facts: Facts) -> ClosedRange<Int> {
        let wishable = (Preferences.ioBufferDurations.lowerBound * Double(facts.sampleRate)).rounded(.up)
        let shortest = max(configuration.periods.lowerBound, Int(wishable))
        return shortest...max(shortest, configuration.periods.upperBound)
    }

    private func shorter(_ facts: Facts) -> Int? {
        let limits = limits(facts)
        let next = min(facts.periodFrames / 2, limits.upperBound)
        return next >= limits.lowerBound ? next : nil
    }

    private func longer(_ facts: Facts) -> Int? {
        let limits = limits(facts)
        var next = facts.periodFrames
        repeat {
            next = min(max(2 * next, limits.lowerBound), limits.upperBound)
        } while next < limits.upperBound && isTooShort(next)
        return next > facts.periodFrames ? next : nil
    }

    /// Where the server rounds down, what was asked for counts: it would come to the same.
    private func charged(_ period: Int) -> Int {
        wish.map { $0.got == period ? max($0.asked, period) : period } ?? period
    }

    private func isTooShort(_ period: Int) -> Bool {
        strikes.contains { $0.key >= period && $0.value >= configuration.tries }
    }

    // MARK: Time

    /// Far more than clocks differ, or a look is late: a graph that cannot keep up.
    private func isLate(_ facts: Facts, _ pace: Facts) -> Bool {
        let passed = frames(facts.time - pace.time, facts)
        let allowed = passed / 20 + 2 * facts.periodFrames + facts.sampleRate / 10
        return passed - rendered(facts, since: pace.frame) > allowed
    }

    /// Some cycles, and as long as notice of an xrun may take. Not longer: where the period is hopeless, all of it is heard.
    private func graceFrames(_ facts: Facts) -> UInt64 { UInt64(max(8 * facts.periodFrames, facts.sampleRate / 50)) }

    /// A server may tell of its new period later than it says yes.
    private func answerFrames(_ facts: Facts) -> UInt64 { UInt64(facts.sampleRate / 4 + facts.periodFrames) }

    private func rendered(_ facts: Facts, since frame: UInt64) -> Int {
        facts.frame > frame ? Int(clamping: facts.frame - frame) : 0
    }

    private func frames(_ duration: Duration, _ facts: Facts) -> Int {
        Int(duration / .seconds(1) * Double(facts.sampleRate))
    }
}
