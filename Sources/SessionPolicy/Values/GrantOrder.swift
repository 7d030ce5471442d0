/// Numbers the grants and the pending requests for activation in one increasing order. Clients
/// remember these numbers after the arbiter has died, and the next arbiter uses them to decide
/// which session came last (SRV-3).
public struct GrantOrder: Hashable, Sendable {
    private var active: [Grant] = []
    private var waiting: [SessionID] = []
    private var grants: [SessionID: UInt64] = [:]
    private var requests: [SessionID: UInt64] = [:]
    private var last: UInt64 = 0

    /// A position in the order of activation, and the time since which the session has held it.
    private struct Grant: Hashable, Sendable {
        var session: SessionID
        var since: EventTime?
    }

    /// How many numbers are reserved at a time: the state file, which contains the reservation, is
    /// then rarely written.
    private static let block: UInt64 = 1 << 20

    public init() {}

    /// Continues the order of these records, from which the state was rebuilt.
    public init(_ state: PolicyState, rebuiltFrom system: SystemRecord, _ sessions: [SessionRecord]) {
        for record in system.sessions + sessions where state[record.session.id] != nil {
            let id = record.session.id
            if grants[id] == nil { grants[id] = record.grantNumber }
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

    /// The end of the block of numbers in use. It changes once in a million grants, and with a new
    /// arbiter.
    var reserved: UInt64 { (last / Self.block + 1) * Self.block }

    /// Returns the number of a session's last grant; 0 if it has had none.
    public func grant(of id: SessionID) -> UInt64 { grants[id] ?? 0 }

    /// Returns the number of a session's pending request for activation; nil if it has none.
    public func pending(of id: SessionID) -> UInt64? { requests[id] }

    /// Numbers the grants and requests of a decision, whose resulting state this is. The caller
    /// calls this after every decision.
    public mutating func update(to state: PolicyState) {
        let now = Self.grants(in: state)
        for grant in now.dropFirst(Self.keptPrefixLength(of: active, in: now)) { grants[grant.session] = next() }
        active = now
        let requested = state.pendingActivations
        if requested != waiting {
            for id in requested.dropFirst(Self.keptPrefixLength(of: waiting, in: requested)) { requests[id] = next() }
            waiting = requested
            let remaining = Set(requested)
            requests = requests.filter { remaining.contains($0.key) }
        }
        if grants.count > state.sessions.count { grants = grants.filter { state[$0.key] != nil } }
    }

    private mutating func next() -> UInt64 {
        last += 1
        return last
    }

    /// Replaces the numbers by the smallest ones in the same order, so that they can still increase
    /// if a record contains a very large number.
    private mutating func compress() {
        let numbers = Set(grants.values).union(requests.values).union([0]).sorted()
        let compressed = Dictionary(uniqueKeysWithValues: zip(numbers, UInt64(0)...))
        grants = grants.mapValues { compressed[$0] ?? 0 }
        requests = requests.mapValues { compressed[$0] ?? 0 }
        last = UInt64(numbers.count)
    }

    /// Gives new numbers to the sessions whose numbers do not reflect this order.
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

    /// Returns how many elements at the front of `after` were in the same relative order in
    /// `before`. The policy removes elements anywhere and appends only at the end. An element that
    /// one decision removed and appended again may be in the same position, but with a later time.
    private static func keptPrefixLength<Element: Equatable>(of before: [Element], in after: [Element]) -> Int {
        var start = before.startIndex
        for (count, element) in after.enumerated() {
            guard let index = before[start...].firstIndex(of: element) else { return count }
            start = index + 1
        }
        return after.count
    }
}

extension PolicyState {
    /// Returns the record that the client of a session keeps, with the grant that the session
    /// holds; nil if the session is unknown.
    public func record(of id: SessionID, _ order: GrantOrder, resolvedGrant: ResolvedGrant? = nil) -> SessionRecord? {
        guard let session = self[id] else { return nil }
        return SessionRecord(
            session: session, grantNumber: order.grant(of: id), pending: order.pending(of: id), app: app(session.app),
            resolvedGrant: resolvedGrant)
    }

    /// Returns the record that the arbiter itself keeps.
    public func systemRecord(_ order: GrantOrder) -> SystemRecord {
        var record = SystemRecord()
        record.sessions = sessions.filter { $0.app == .system }.compactMap { self.record(of: $0.id, order) }
        let holders = Set(sessions.map(\.app))
        record.apps = apps.filter { !holders.contains($0.id) }
        record.devices = devices
        record.pickedOutput = pickedOutput
        record.pickedInput = pickedInput
        record.silentSwitch = silentSwitch
        record.microphoneMute = microphoneMute
        record.isScreenLocked = isScreenLocked
        record.isDoNotDisturbOn = isDoNotDisturbOn
        record.volume = volume
        record.ringVolume = ringVolume
        record.reservedGrants = order.reserved
        return record
    }
}
