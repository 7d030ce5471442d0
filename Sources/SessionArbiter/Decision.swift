public import SessionPolicy

/// One entry of the log: what happened, and what came of it (ACT-13).
public struct Decision: Hashable, Sendable, Codable {
    public enum Outcome: Hashable, Sendable {
        case granted([Effect])
        case refused(Refusal)
    }

    /// From 1, without gaps: the one order of all decisions (ACT-11).
    public var number: UInt64
    public var event: PolicyEvent
    public var outcome: Outcome

    init(number: UInt64, event: PolicyEvent, outcome: Outcome) {
        self.number = number
        self.event = event
        self.outcome = outcome
    }

    private enum Key: CodingKey { case number, effects, refusal }

    /// The event's own keys, and what came of it beside them.
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

/// Decisions without a gap, and the state before the first: applied to it one after the other they lead to the state after the last.
public struct DecisionHistory: Hashable, Sendable, Codable {
    public var base: PolicyState
    public var decisions: [Decision]
}

/// The latest decisions; the oldest give way, some at a time.
struct DecisionLog {
    /// Decisions that go together, and the state before them.
    private struct Section {
        var base: PolicyState
        var decisions: [Decision] = []
        var effects = 0
        /// The base does not come of the decisions before.
        var isBeginning = false
    }

    /// Beyond it the oldest give way too, however few they are.
    static let effectLimit = 65_536

    private var sections: [Section] = []
    private let capacity: Int
    private let sectionLength: Int
    private(set) var count: UInt64 = 0

    init(capacity: Int) {
        self.capacity = max(1, capacity)
        sectionLength = max(1, self.capacity / 4)
    }

    mutating func append(_ event: PolicyEvent, _ outcome: Decision.Outcome, before state: PolicyState) {
        count += 1
        let isFull = sections.last.map {
            $0.decisions.count >= sectionLength || $0.effects >= Self.effectLimit / 4
        }
        if isFull ?? true { sections.append(Section(base: state)) }
        let last = sections.count - 1
        sections[last].decisions.append(Decision(number: count, event: event, outcome: outcome))
        if case .granted(let effects) = outcome { sections[last].effects += effects.count }
        while sections.count > 1, isBeyondItsLimits { sections.removeFirst() }
    }

    /// What follows comes of `state`, and that not of the decisions before.
    mutating func beginAnew(with state: PolicyState) {
        if sections.last?.decisions.isEmpty == true { sections.removeLast() }
        // What led to those before is of no use any longer.
        for place in sections.indices { sections[place].base = PolicyState() }
        sections.append(Section(base: state, isBeginning: true))
    }

    /// Whether what is kept without the oldest section is enough, or with it too much.
    private var isBeyondItsLimits: Bool {
        let kept = sections.dropFirst().reduce(0) { $0 + $1.decisions.count }
        return kept >= capacity || sections.reduce(0) { $0 + $1.effects } > Self.effectLimit
    }

    /// The oldest first, at most as many as the capacity.
    var decisions: [Decision] { sections.flatMap(\.decisions).suffix(capacity) }

    var last: Decision? { sections.last { !$0.decisions.isEmpty }?.decisions.last }

    /// What is kept, to be replayed; `state` is the present one.
    func history(_ state: PolicyState) -> DecisionHistory {
        let first = sections.lastIndex(where: \.isBeginning) ?? 0
        return DecisionHistory(
            base: sections.isEmpty ? state : sections[first].base,
            decisions: sections.dropFirst(first).flatMap(\.decisions))
    }
}
