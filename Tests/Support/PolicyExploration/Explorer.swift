package import SessionPolicy

/// A violated invariant, with the shortest sequence of events that violates it.
package struct Finding: Sendable {
    package var invariant: String
    /// The events from the empty state. The last one violates the invariant.
    package var events: [PolicyAction]
}

/// The result of exploring a slice.
package struct Exploration: Sendable {
    package var slice: String
    package var states = 0
    /// The number of events that were decided, and of those that were refused.
    package var transitions = 0
    package var refused = 0
    /// The number of events on the shortest path to the farthest state.
    package var depth = 0
    /// The number of states without the reduction by symmetry.
    package var unreducedStates = 0
    /// The number of replays of a complete log.
    package var replays = 0
    /// Whether the exploration saw every reachable state.
    package var isComplete = true
    /// The first violation of each violated invariant.
    package var findings: [Finding] = []
    package var seconds = 0.0
}

/// Explores a slice breadth-first: applies every event to every reachable state and checks every
/// invariant.
package struct Explorer {
    /// One log of this many is replayed.
    private static let replayStride = 61

    private let slice: Slice
    private let probes: Probes
    private let actions: [PolicyAction]
    private let symmetry: Symmetry
    private let limit: Int
    private var seen: Set<StateKey> = []
    /// How each state was first reached: the previous state and the action. For a start state,
    /// `from` is negative and gives the index of the cast.
    private var origins: [(from: Int32, action: Int16)] = []
    private var front: [(index: Int, state: PolicyState)] = []
    private var result: Exploration

    /// - Parameter limit: The number of states after which the exploration stops.
    package init(_ slice: Slice, _ subject: Subject = .policy, reduced: Bool = true, limit: Int = 400_000) {
        self.slice = slice
        self.limit = limit
        probes = Probes(subject: subject, policy: Policy(settings: slice.settings))
        actions = slice.actions
        symmetry = reduced ? Symmetry(of: slice) : .none
        result = Exploration(slice: slice.name)
    }

    /// Explores the slice completely, up to the limit, or until the given invariant is violated.
    package mutating func run(until invariant: String? = nil) -> Exploration {
        let seconds = ContinuousClock().measure { explore(until: invariant) }
        result.seconds = Double(seconds.components.seconds) + Double(seconds.components.attoseconds) * 1e-18
        result.states = seen.count
        return result
    }

    private mutating func explore(until invariant: String?) {
        for cast in slice.casts.indices { start(cast) }
        while !front.isEmpty {
            let present = front
            front = []
            for (index, state) in present {
                for action in actions.indices { step(from: state, index, action) }
                if let invariant, result.findings.contains(where: { $0.invariant == invariant }) { return }
            }
            guard seen.count < limit else {
                result.isComplete = front.isEmpty
                return
            }
            if !front.isEmpty { result.depth += 1 }
        }
    }

    private mutating func start(_ cast: Int) {
        var state = PolicyState()
        for action in slice.preparation(of: slice.casts[cast]) {
            guard (try? probes.subject.decide(action, with: probes.policy, &state)) != nil else {
                preconditionFailure("\(slice.name): \(slice.casts[cast]): the preparation \(action) is refused")
            }
        }
        enter(state, from: -1 - cast, by: 0)
    }

    private mutating func step(from state: PolicyState, _ index: Int, _ action: Int) {
        var next = state
        do throws(Refusal) {
            let transition = try probes.subject.decide(actions[action], with: probes.policy, &next)
            result.transitions += 1
            let broken =
                Invariants.broken(by: Observation(before: state, transition))
                + DecisionInvariants.broken(by: Decision(before: state, action: actions[action], after: transition))
            for name in broken { report(name, at: index, action) }
            enter(next, from: index, by: action)
        } catch {
            result.refused += 1
            if next != state { report(Probes.refusal, at: index, action) }
            if !Probes.explains(error, in: state) { report(Probes.refusalReason, at: index, action) }
        }
    }

    /// Records a state that was not seen before.
    private mutating func enter(_ state: PolicyState, from index: Int, by action: Int) {
        guard seen.insert(StateKey(of: state, in: slice, symmetry)).inserted else { return }
        let new = origins.count
        origins.append((Int32(index), Int16(action)))
        front.append((new, state))
        result.unreducedStates += StateKey.count(of: state, in: slice, symmetry)
        if !probes.waitsEnd(in: state) { report(Probes.liveness, at: index, action) }
        if !probes.silenceReleases(in: state) { report(Probes.idleness, at: index, action) }
        if new % Self.replayStride == 0 {
            result.replays += 1
            if !probes.replays(log(to: new), to: state) { report(Probes.replay, at: index, action) }
        }
    }

    private mutating func report(_ invariant: String, at index: Int, _ action: Int) {
        guard !result.findings.contains(where: { $0.invariant == invariant }) else { return }
        let events = index < 0 ? slice.preparation(of: slice.casts[-1 - index]) : log(to: index) + [actions[action]]
        result.findings.append(Finding(invariant: invariant, events: events))
    }

    /// Returns the shortest sequence of events from the empty state to a state.
    private func log(to index: Int) -> [PolicyAction] {
        var events: [PolicyAction] = []
        var index = index
        while index >= 0 {
            let origin = origins[index]
            if origin.from >= 0 { events.append(actions[Int(origin.action)]) }
            index = Int(origin.from)
        }
        return slice.preparation(of: slice.casts[-1 - index]) + events.reversed()
    }
}
