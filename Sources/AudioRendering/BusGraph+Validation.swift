internal import CRenderCore

/// Validation of graphs. Every error names the problem, the existing alternatives and the fix.
extension BusGraph {
    /// Checks the graph and returns its buses, each after all its targets. Throws `badGraph`.
    func ordered(
        sessionChannels: Int, sizes: rcore_config_t
    ) throws(AudioEngineError) -> [Bus] {
        try checkCounts(sizes)
        try checkNames()
        for bus in buses { try check(bus, maximumChannels: Int(sizes.max_channels)) }
        var seen: Set<Send.Ends> = []
        for send in sends {
            try check(send)
            guard seen.insert(send.ends).inserted else {
                throw .badGraph(
                    reason:
                        "There are two sends from \(quoted(send.source)) to \(quoted(send.target)); keep one, and set its level."
                )
            }
        }
        try checkInserts()
        let order = try order()
        try checkMaps(order, sessionChannels: sessionChannels)
        try checkLatency(order)
        return order
    }

    /// Returns the channel count of each bus, by name; `order` is a result of `ordered`.
    static func channels(of order: [Bus], sessionChannels: Int) -> [String: Int] {
        var channels: [String: Int] = [:]
        for bus in order {
            channels[bus.name] = bus.channels ?? bus.parent.flatMap { channels[$0] } ?? sessionChannels
        }
        return channels
    }

    private func checkCounts(_ sizes: rcore_config_t) throws(AudioEngineError) {
        // One of the engine's buses is the session's.
        guard buses.count < sizes.max_buses else {
            throw .badGraph(
                reason: """
                    The graph has \(buses.count) buses; the engine has \(sizes.max_buses), and each session uses one. Create the engine \
                    with more (AudioEngine.Configuration.maximumBuses, at most 1,024).
                    """)
        }
        guard sends.count <= sizes.max_sends else {
            throw .badGraph(
                reason: """
                    The graph has \(sends.count) sends; the engine has \(sizes.max_sends). Create the engine with more \
                    (AudioEngine.Configuration.maximumSends, at most 1,024).
                    """)
        }
    }

    private func checkNames() throws(AudioEngineError) {
        var seen: Set<String> = []
        for bus in buses {
            guard !bus.name.isEmpty else {
                throw .badGraph(reason: "A bus has an empty name; give each bus a unique name.")
            }
            guard seen.insert(bus.name).inserted else {
                throw .badGraph(reason: "Two buses are named \(quoted(bus.name)); give each bus a unique name.")
            }
        }
    }

    private func check(_ bus: Bus, maximumChannels: Int) throws(AudioEngineError) {
        let name = "Bus \(quoted(bus.name))"
        guard bus.gain.isFinite else {
            throw .badGraph(reason: "\(name) has a gain of \(bus.gain); use a finite value.")
        }
        guard (-1...1).contains(bus.pan) else {
            throw .badGraph(reason: "\(name) has a pan of \(bus.pan); use -1 (left) to 1 (right).")
        }
        guard bus.panLaw != nil || bus.pan == 0 else {
            throw .badGraph(reason: "\(name) has a pan of \(bus.pan) but no pan law; set its panLaw.")
        }
        guard (1...maximumChannels).contains(bus.channels ?? 1) else {
            throw .badGraph(
                reason: """
                    \(name) has \(bus.channels ?? 0) channels; use 1 to \(maximumChannels), or create the engine with more \
                    (AudioEngine.Configuration.maximumChannels, at most 64).
                    """)
        }
        guard let parent = bus.parent, self[parent] == nil else { return }
        throw .badGraph(
            reason:
                "\(name) is routed to unknown bus \(quoted(parent)). \(knownBuses). Without a parent, a bus is routed to the session's bus."
        )
    }

    private func check(_ send: Send) throws(AudioEngineError) {
        let name = "The send from \(quoted(send.source)) to \(quoted(send.target))"
        for end in [send.source, send.target] where self[end] == nil {
            throw .badGraph(reason: "\(name) refers to unknown bus \(quoted(end)). \(knownBuses).")
        }
        guard send.source != send.target else {
            throw .badGraph(reason: "Bus \(quoted(send.source)) sends to itself; choose another target.")
        }
        guard send.level.isFinite else {
            throw .badGraph(reason: "\(name) has a level of \(send.level); use a finite value.")
        }
    }

    private func checkInserts() throws(AudioEngineError) {
        var seen: [UnsafeMutableRawPointer: String] = [:]
        for bus in buses {
            guard let insert = bus.insert else { continue }
            if let other = seen[insert.context] {
                throw .badGraph(
                    reason: """
                        Buses \(quoted(other)) and \(quoted(bus.name)) share an insert, or its context; an insert has state and belongs to one bus: \
                        create one for each.
                        """)
            }
            seen[insert.context] = bus.name
        }
    }

    // MARK: Order

    /// The names of the buses that each bus is routed or sends to.
    private var targets: [String: [String]] {
        var targets: [String: [String]] = [:]
        for bus in buses { targets[bus.name] = bus.parent.map { [$0] } ?? [] }
        for send in sends { targets[send.source]?.append(send.target) }
        return targets
    }

    /// Sorts the buses topologically, each after all its targets: a bus is appended once none of
    /// its targets is pending. Throws `badGraph` if buses form a cycle.
    private func order() throws(AudioEngineError) -> [Bus] {
        let targets = targets
        var sources: [String: [Int]] = [:]
        var pendingTargets = buses.map { targets[$0.name]?.count ?? 0 }
        for (index, bus) in buses.enumerated() {
            for target in targets[bus.name] ?? [] { sources[target, default: []].append(index) }
        }
        var order = buses.indices.filter { pendingTargets[$0] == 0 }
        var next = 0
        while next < order.count {
            for source in sources[buses[order[next]].name] ?? [] {
                pendingTargets[source] -= 1
                if pendingTargets[source] == 0 { order.append(source) }
            }
            next += 1
        }
        guard order.count == buses.count else {
            let remaining = Set(buses.indices.filter { pendingTargets[$0] > 0 }.map { buses[$0].name })
            let cycle = cycle(among: remaining, targets).joined(separator: " → ")
            throw .badGraph(
                reason:
                    "The buses form a cycle: \(cycle). Route one of them elsewhere, or remove the send that closes it."
            )
        }
        return order.map { buses[$0] }
    }

    // Each bus of `remaining` has a target in `remaining`, so following the targets closes a cycle.
    private func cycle(among remaining: Set<String>, _ targets: [String: [String]]) -> [String] {
        var path: [String] = []
        var next = buses.first { remaining.contains($0.name) }?.name
        while let name = next {
            if let begin = path.firstIndex(of: name) { return path[begin...] + [name] }
            path.append(name)
            next = targets[name]?.first(where: remaining.contains)
        }
        return path
    }

    // MARK: Shapes and latencies

    private func checkMaps(_ order: [Bus], sessionChannels: Int) throws(AudioEngineError) {
        let channels = Self.channels(of: order, sessionChannels: sessionChannels)
        for bus in order {
            let target = bus.parent.flatMap { channels[$0] } ?? sessionChannels
            let what = "Bus \(quoted(bus.name)) is routed to \(bus.parent.map(quoted) ?? "the session's bus")"
            try check(bus.map, from: channels[bus.name] ?? 0, to: target, what)
        }
        for send in sends {
            let what = "The send from \(quoted(send.source)) is routed to \(quoted(send.target))"
            try check(send.map, from: channels[send.source] ?? 0, to: channels[send.target] ?? 0, what)
        }
    }

    private func check(
        _ map: ChannelMap?, from inputs: Int, to outputs: Int, _ what: String
    ) throws(AudioEngineError) {
        guard let map, map.inputs != inputs || map.outputs != outputs else { return }
        throw .badGraph(
            reason: """
                \(what) with a channel map \(map.inputs) → \(map.outputs), but the source has \(inputs) channels and the target \(outputs). \
                Use a map \(inputs) → \(outputs), or none for the standard map.
                """)
    }

    /// Checks the total latency of the inserts on the longest path from each bus. The targets of a
    /// bus precede it in `order`, so their longest paths are known.
    private func checkLatency(_ order: [Bus]) throws(AudioEngineError) {
        let targets = targets
        var longest: [String: (frames: Int, path: [String])] = [:]
        for bus in order {
            // An exempt bus adds no delay to other buses.
            let next = bus.isCompensationExempt ? [] : targets[bus.name] ?? []
            let onward = next.compactMap { longest[$0] }.max { $0.frames < $1.frames }
            let frames = (bus.insert?.latencyFrames ?? 0) + (onward?.frames ?? 0)
            let path = [bus.name] + (onward?.path ?? [])
            guard frames <= AudioInsert.maximumLatency else {
                throw .badGraph(
                    reason: """
                        The inserts along \(path.joined(separator: " → ")) have a latency of \(frames) frames; one path may have \
                        \(AudioInsert.maximumLatency). Use inserts with less latency, or route these buses in parallel.
                        """)
            }
            longest[bus.name] = (frames, path)
        }
    }

    private var knownBuses: String { AudioEngineError.list(buses.map(\.name)) }

    private func quoted(_ name: String) -> String { "'\(name)'" }
}
