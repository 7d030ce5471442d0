/// Why the core cannot follow a plan that it still holds by a new one: found out afterwards, to say it by name.
extension EnginePlan {
    /// Of a posted plan: what of it may stand in the way of a later one.
    struct Outline {
        struct Place: Equatable { var slot: Int, channels: Int }
        /// Which bus each insert is on.
        var inserts: [UnsafeMutableRawPointer: Place] = [:]
        /// The slots that each leads or sends to.
        var targets: [Int: [Int]] = [:]
        var names: [Int: String] = [:]

        init(_ plan: EnginePlan) {
            for (slot, session) in plan.buses {
                let desk = session.desk
                for bus in desk.order {
                    guard let own = desk.strips[bus.name]?.identity.slot else { continue }
                    names[own] = bus.name
                    if let insert = bus.insert {
                        inserts[insert.context] = Place(slot: own, channels: bus.channels ?? 0)
                    }
                    targets[own, default: []].append(bus.parent.flatMap { desk.strips[$0]?.identity.slot } ?? slot)
                }
                for send in desk.graph.sends {
                    guard let source = desk.strips[send.source]?.identity.slot,
                        let target = desk.strips[send.target]?.identity.slot
                    else { continue }
                    targets[source, default: []].append(target)
                }
            }
        }

        /// What it has in common with an earlier one that stands in its way, in words; nil: nothing.
        func conflict(with earlier: Outline) -> String? {
            for (insert, place) in inserts.sorted(by: { $0.value.slot < $1.value.slot }) {
                guard let before = earlier.inserts[insert], before != place else { continue }
                let (name, old) = (names[place.slot] ?? "", earlier.names[before.slot] ?? "")
                return before.slot == place.slot
                    ? "The insert of bus '\(name)' is still heard with \(before.channels) channels, and would have \(place.channels)."
                    : "The insert of bus '\(name)' is still heard on bus '\(old)'."
            }
            // While both are heard, buses are mixed in one order.
            let both = targets.merging(earlier.targets) { $0 + $1 }
            let all = names.merging(earlier.names) { name, _ in name }
            guard let cycle = Self.cycle(in: both) else { return nil }
            return """
                With what is still heard of the graph before, buses would lead in a circle: \
                \(cycle.map { all[$0] ?? "the session's bus" }.joined(separator: " → ")).
                """
        }

        private static func cycle(in targets: [Int: [Int]]) -> [Int]? {
            var open = targets
            // What leads nowhere any more is in no circle.
            while let end = open.first(where: { $0.value.allSatisfy { open[$0] == nil } }) { open[end.key] = nil }
            var path: [Int] = []
            var next = open.keys.min()
            while let slot = next {
                if let begin = path.firstIndex(of: slot) { return path[begin...] + [slot] }
                path.append(slot)
                next = open[slot]?.filter { open[$0] != nil }.min()
            }
            return nil
        }
    }

    /// The refusal, by name.
    func conflict(_ outline: Outline) -> AudioEngineError {
        let found = posted.lazy.compactMap { outline.conflict(with: $0.outline) }.first
        return .badGraph(
            reason: """
                \(found ?? "The graph cannot follow one that is still heard.") Set a graph without that first, and this one once it has settled \
                (SessionBus.isGraphSettled).
                """)
    }
}
