/// Numbers the grants of a history, and the requests to wait: one growing order that clients remember beyond an arbiter's death, and by which
/// the next one settles who came last (SRV-3).
public struct GrantOrder: Hashable, Sendable {
    private var active: [Grant] = []
    private var waiting: [SessionID] = []
    private var grants: [SessionID: UInt64] = [:]
    private var requests: [SessionID: UInt64] = [:]
    private var last: UInt64 = 0

    /// A place in the order of activation, and since when it is held.
    private struct Grant: Hashable, Sendable {
        var session: SessionID
        var since: EventTime?
    }

    /// How many numbers are reserved at a time, so that a file that holds the reservation is seldom written.
    private static let block: UInt64 = 1 << 20

    public init() {}

    /// Goes on after these records, of which the state was rebuilt.
    public init(_ state: PolicyState, rebuiltFrom system: SystemRecord, _ sessions: [SessionRecord]) {
        for record in system.sessions + sessions where state[record.session.id] != nil {
            let id = record.session.id
            if grants[id] == nil { grants[id] = record.grant }
            if let pending = record.pending, requests[id] == nil { requests[id] = pending }
        }
        last = max(grants.values.max() ?? 0, requests.values.max() ?? 0, system.reservedGrants)
        if last > UInt64.max / 2 { compress() }
        active = Self.grants(in: state)
        waiting = state.pendingActivations
        renumber(state.activeOrder, in: \.grants)
        renumber(waiting, in: \.requests)
        requests = requests.filter { waiting.contains($0.key) }
    }

    /// The end of the block of numbers that is being given; it changes once in a million grants, and with a new arbiter.
    var reserved: UInt64 { (last / Self.block + 1) * Self.block }

    /// When a session was granted last; 0: never.
    public func grant(of id: SessionID) -> UInt64 { grants[id] ?? 0 }

    /// When it asked to wait; nil: it did not, or does not any more.
    public func pending(of id: SessionID) -> UInt64? { requests[id] }

    /// Takes in what a decision made of the state; to be called after every one. Costs a pass over the sessions.
    public mutating func follow(_ state: PolicyState) {
        let now = Self.grants(in: state)
        for grant in now.dropFirst(Self.kept(of: active, in: now)) { grants[grant.session] = next() }
        active = now
        let requested = state.pendingActivations
        if requested != waiting {
            for id in requested.dropFirst(Self.kept(of: waiting, in: requested)) { requests[id] = next() }
            waiting = requested
            let left = Set(requested)
            requests = requests.filter { left.contains($0.key) }
        }
        if grants.count > state.sessions.count { grants = grants.filter { state[$0.key] != nil } }
    }

    private mutating func next() -> UInt64 {
        last += 1
        return last
    }

    /// Gives the same order in the smallest numbers: they must go on growing, whatever a record says.
    private mutating func compress() {
        let numbers = Set(grants.values).union(requests.values).union([0]).sorted()
        let places = Dictionary(uniqueKeysWithValues: zip(numbers, UInt64(0)...))
        grants = grants.mapValues { places[$0] ?? 0 }
        requests = requests.mapValues { places[$0] ?? 0 }
        last = UInt64(numbers.count)
    }

    /// Those that the numbers do not tell to come later get new ones.
    private mutating func renumber(_ order: [SessionID], in numbers: WritableKeyPath<Self, [SessionID: UInt64]>) {
        var previous: UInt64 = 0
        for id in order {
            if self[keyPath: numbers][id] ?? 0 <= previous { self[keyPath: numbers][id] = next() }
            previous = self[keyPath: numbers][id] ?? previous
        }
    }

    private static func grants(in state: PolicyState) -> [Grant] {
        state.active.map { session in
            guard case .active(let since) = session.activity else { return Grant(session: session.id) }
            return Grant(session: session.id, since: since)
        }
    }

    /// How many at the front of an order stand there as before. The policy takes from anywhere and adds at the end only; what was
    /// taken and added in one decision may stand where it stood, but since another time.
    private static func kept<Element: Equatable>(of before: [Element], in after: [Element]) -> Int {
        var place = before.startIndex
        for (count, element) in after.enumerated() {
            guard let found = before[place...].firstIndex(of: element) else { return count }
            place = found + 1
        }
        return after.count
    }
}
