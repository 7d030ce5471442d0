public import SessionPolicy

/// One entry of the log: an event and its outcome (ACT-13).
public struct Decision: Hashable, Sendable, Codable {
    public enum Outcome: Hashable, Sendable {
        case granted([Effect])
        case refused(Refusal)
    }

    /// Position in the order of all decisions, starting at 1 without gaps (ACT-11).
    public var number: UInt64
    public var event: PolicyEvent
    public var outcome: Outcome

    package init(number: UInt64, event: PolicyEvent, outcome: Outcome) {
        self.number = number
        self.event = event
        self.outcome = outcome
    }

    private enum Key: CodingKey { case number, effects, refusal }

    /// The event's keys are at the same level as `number` and the outcome's keys.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        number = try values.decode(UInt64.self, forKey: .number)
        event = try PolicyEvent(from: decoder)
        if let refusal = try values.decodeIfPresent(Refusal.self, forKey: .refusal) {
            outcome = .refused(refusal)
        } else {
            outcome = .granted(try values.decode([Effect].self, forKey: .effects))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(number, forKey: .number)
        try event.encode(to: encoder)
        switch outcome {
        case .granted(let effects): try values.encode(effects, forKey: .effects)
        case .refused(let refusal): try values.encode(refusal, forKey: .refusal)
        }
    }
}

/// Consecutive decisions, and the state before the first. Applying the decisions to that state one
/// after the other results in the state after the last.
public struct DecisionHistory: Hashable, Sendable, Codable {
    public var base: PolicyState
    public var decisions: [Decision]
}

/// The latest decisions, in sections. The oldest are dropped one section at a time, so that the
/// state before the first one is known.
package struct DecisionLog {
    /// Consecutive decisions, and the state before them.
    private struct Section {
        var base: PolicyState
        var decisions: [Decision] = []
        var effects = 0
        /// Whether `base` does not result from the decisions of the section before, because the
        /// state was rebuilt.
        var startsNewHistory = false
    }

    /// The number of effects in the log above which the oldest section is dropped, even if there
    /// are fewer decisions than `capacity`. The last section is always kept.
    static let effectLimit = 65_536

    private var sections: [Section] = []
    private let capacity: Int
    private let sectionLength: Int
    /// The number of the last decision; 0 before the first one.
    package private(set) var count: UInt64 = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
        sectionLength = max(1, self.capacity / 4)
    }

    /// Appends a decision under the next number, in a new section if the last one is full. `state`
    /// is the state before the decision. Drops the oldest sections while the log exceeds its
    /// limits.
    mutating func append(_ event: PolicyEvent, _ outcome: Decision.Outcome, before state: PolicyState) {
        count += 1
        let isFull = sections.last.map {
            $0.decisions.count >= sectionLength || $0.effects >= Self.effectLimit / 4
        }
        if isFull ?? true { sections.append(Section(base: state)) }
        let last = sections.count - 1
        sections[last].decisions.append(Decision(number: count, event: event, outcome: outcome))
        if case .granted(let effects) = outcome { sections[last].effects += effects.count }
        while sections.count > 1, exceedsLimits { sections.removeFirst() }
    }

    /// Starts a section at `state`, which does not result from the decisions before.
    mutating func beginSection(at state: PolicyState) {
        if sections.last?.decisions.isEmpty == true { sections.removeLast() }
        // The states before the earlier decisions are no longer needed.
        for index in sections.indices { sections[index].base = PolicyState() }
        sections.append(Section(base: state, startsNewHistory: true))
    }

    /// Whether the oldest section can be dropped: the others contain as many decisions as the
    /// capacity, or all sections together contain too many effects.
    private var exceedsLimits: Bool {
        let kept = sections.dropFirst().reduce(0) { $0 + $1.decisions.count }
        return kept >= capacity || sections.reduce(0) { $0 + $1.effects } > Self.effectLimit
    }

    /// The decisions, the oldest first, at most as many as the capacity.
    package var decisions: [Decision] { sections.flatMap(\.decisions).suffix(capacity) }

    package var last: Decision? { sections.last { !$0.decisions.isEmpty }?.decisions.last }

    /// Returns the decisions since the state was last rebuilt, as far as they are stored, to be
    /// replayed. `state` is the current state.
    package func history(_ state: PolicyState) -> DecisionHistory {
        let first = sections.lastIndex(where: \.startsNewHistory) ?? 0
        return DecisionHistory(
            base: sections.isEmpty ? state : sections[first].base,
            decisions: sections.dropFirst(first).flatMap(\.decisions))
    }
}
