/// Explains, with the names of the buses, why the core refuses a plan that conflicts with an
/// earlier one that is still audible.
extension EnginePlan {
    /// The parts of a posted plan that may conflict with a later one.
    struct Outline {
        struct InsertSite: Equatable { var slot: Int, channels: Int }
        /// The bus of each insert, by the insert's context.
        var inserts: [UnsafeMutableRawPointer: InsertSite] = [:]
        /// The slots that each bus is routed or sends to, by its slot.
        var targets: [Int: [Int]] = [:]
        var names: [Int: String] = [:]

        init(_ plan: EnginePlan) {
            for (slot, session) in plan.buses {
                let mixer = session.mixer
                for bus in mixer.order {
                    guard let busSlot = mixer.strips[bus.name]?.identity.slot else { continue }
                    names[busSlot] = bus.name
                    if let insert = bus.insert {
                        inserts[insert.context] = InsertSite(slot: busSlot, channels: bus.channels ?? 0)
                    }
                    targets[busSlot, default: []].append(bus.parent.flatMap { mixer.strips[$0]?.identity.slot } ?? slot)
                }
                for send in mixer.graph.sends {
                    guard let source = mixer.strips[send.source]?.identity.slot,
                        let target = mixer.strips[send.target]?.identity.slot
                    else { continue }
                    targets[source, default: []].append(target)
                }
            }
        }

        /// Describes the conflict with an earlier plan; nil if there is none.
        func conflict(with earlier: Outline) -> String? {
            for (insert, site) in inserts.sorted(by: { $0.value.slot < $1.value.slot }) {
                guard let earlierSite = earlier.inserts[insert], earlierSite != site else { continue }
                let (name, old) = (names[site.slot] ?? "", earlier.names[earlierSite.slot] ?? "")
                return earlierSite.slot == site.slot
                    ? "The insert of bus '\(name)' is still in use with \(earlierSite.channels) channels, and would have \(site.channels)."
                    : "The insert of bus '\(name)' is still in use on bus '\(old)'."
            }
            // While both plans are audible, the core mixes the buses of both in one order.
            let combined = targets.merging(earlier.targets) { $0 + $1 }
            let allNames = names.merging(earlier.names) { name, _ in name }
            guard let cycle = Self.cycle(in: combined) else { return nil }
            return """
                Together with the previous graph, which is still audible, the buses would form a cycle: \
                \(cycle.map { allNames[$0] ?? "the session's bus" }.joined(separator: " → ")).
                """
        }

        private static func cycle(in targets: [Int: [Int]]) -> [Int]? {
            var remaining = targets
            // A bus without a remaining target is not part of a cycle.
            while let end = remaining.first(where: { $0.value.allSatisfy { remaining[$0] == nil } }) {
                remaining[end.key] = nil
            }
            // Each remaining bus has a remaining target, so following the targets closes a cycle.
            var path: [Int] = []
            var next = remaining.keys.min()
            while let slot = next {
                if let begin = path.firstIndex(of: slot) { return path[begin...] + [slot] }
                path.append(slot)
                next = remaining[slot]?.filter { remaining[$0] != nil }.min()
            }
            return nil
        }
    }

    /// Returns the error for a plan that the core refused, with the names of the buses in conflict.
    func conflict(_ outline: Outline) -> AudioEngineError {
        let reason = posted.lazy.compactMap { outline.conflict(with: $0.outline) }.first
        return .badGraph(
            reason: """
                \(reason ?? "The graph conflicts with one that is still audible.") Set a graph without this conflict first, and this one once \
                SessionBus.isGraphSettled is true.
                """)
    }
}
