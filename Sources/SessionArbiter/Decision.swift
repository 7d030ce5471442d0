public import SessionPolicy

/// One entry of the log: what happened, and what came of it (ACT-13).
public struct Decision: Hashable, Sendable, Codable {
    public enum Outcome: Hashable, Sendable, Codable {
        case granted([Effect])
        case refused(Refusal)
    }

    /// From 1, without gaps: the one order of all decisions (ACT-11).
    public var number: UInt64
    public var event: PolicyEvent
    public var outcome: Outcome
}

/// The latest decisions; the oldest give way.
struct DecisionLog {
    private var entries: [Decision] = []
    private var oldest = 0
    private let capacity: Int
    private(set) var count: UInt64 = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    mutating func append(_ event: PolicyEvent, _ outcome: Decision.Outcome) {
        count += 1
        let decision = Decision(number: count, event: event, outcome: outcome)
        if entries.count < capacity {
            entries.append(decision)
        } else {
            entries[oldest] = decision
            oldest = (oldest + 1) % capacity
        }
    }

    /// The oldest first.
    var decisions: [Decision] { Array(entries[oldest...] + entries[..<oldest]) }
}
