/// The order of grants when a process that has arbitrated for itself joins an arbiter (rule SRV-3).
extension [SessionRecord] {
    /// Numbers the grants of these records, in their own order, below those of all known sessions:
    /// the known sessions keep their grants, and a session that joins interrupts none of its level.
    /// Their pending activations come after all known ones (ACT-14).
    package mutating func rankBelow(_ known: inout [SessionRecord], _ system: inout SystemRecord) {
        let count = UInt64(self.count)
        for index in known.indices { known[index].grantNumber += count }
        for index in system.sessions.indices { system.sessions[index].grantNumber += count }
        let ids = map(\.session.id)
        for (number, index) in indices.sorted(by: { (self[$0].grantNumber, ids[$0]) < (self[$1].grantNumber, ids[$1]) })
            .enumerated()
        {
            self[index].grantNumber = UInt64(number) + 1
        }
        let waiting = indices.filter { self[$0].pending != nil }
            .sorted { (self[$0].pending ?? 0, ids[$0]) < (self[$1].pending ?? 0, ids[$1]) }
        for (number, index) in waiting.enumerated() { self[index].pending = system.reservedGrants + UInt64(number) + 1 }
    }
}
