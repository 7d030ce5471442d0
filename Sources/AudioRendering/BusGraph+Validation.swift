/// What a graph must be. Every refusal names what is wrong, says what there is, and what to do.
extension BusGraph {
    /// The buses in an order in which each stands behind all it leads to. Throws `badGraph`.
    func ordered(
        sessionChannels: Int, configuration: AudioEngine.Configuration
    ) throws(AudioEngineError) -> [Bus] {
        try checkCounts(configuration)
        try checkNames()
        for bus in buses { try check(bus, maximumChannels: configuration.maximumChannels) }
        var seen: Set<Send.Ends> = []
        for send in sends {
            try check(send)
            guard seen.insert(send.ends).inserted else {
                throw .badGraph(
                    reason:
                        "There are two sends from \(quoted(send.source)) to \(quoted(send.target)); make one of them, and set its level."
                )
            }
        }
        try checkInserts()
        let order = try order()
        try checkMaps(order, sessionChannels: sessionChannels)
        try checkLatency(order)
        return order
    }

    /// Channels of each bus, by name; `order` as `ordered` gives it.
    static func channels(of order: [Bus], sessionChannels: Int) -> [String: Int] {
        var channels: [String: Int] = [:]
        for bus in order {
            channels[bus.name] = bus.channels ?? bus.parent.flatMap { channels[$0] } ?? sessionChannels
        }
        return channels
    }

    private func checkCounts(_ configuration: AudioEngine.Configuration) throws(AudioEngineError) {
        // One of the engine's buses is the session's.
        guard buses.count < configuration.maximumBuses else {
            throw .badGraph(
                reason: """
                    A graph of \(buses.count) buses was asked for; the engine has \(configuration.maximumBuses), of which each session takes one. \
                    Make it with more (AudioEngine.Configuration.maximumBuses, at most 1,024).
                    """)
        }
        guard sends.count <= configuration.maximumSends else {
            throw .badGraph(
                reason: """
                    A graph of \(sends.count) sends was asked for; the engine has \(configuration.maximumSends). Make it with more \
                    (AudioEngine.Configuration.maximumSends, at most 1,024).
                    """)
        }
    }

    private func checkNames() throws(AudioEngineError) {
        var seen: Set<String> = []
        for bus in buses {
            guard !bus.name.isEmpty else {
                throw .badGraph(reason: "A bus has an empty name; give each a name of its own.")
            }
            guard seen.insert(bus.name).inserted else {
                throw .badGraph(reason: "Two buses are called \(quoted(bus.name)); give each a name of its own.")
            }
        }
    }

    private func check(_ bus: Bus, maximumChannels: Int) throws(AudioEngineError) {
        let name = "Bus \(quoted(bus.name))"
        guard bus.gain.isFinite else {
            throw .badGraph(reason: "\(name) has a gain of \(bus.gain); give it a finite one.")
        }
        guard (-1...1).contains(bus.pan) else {
            throw .badGraph(reason: "\(name) has a pan of \(bus.pan); give it -1 (left) to 1 (right).")
        }
        guard bus.panLaw != nil || bus.pan == 0 else {
            throw .badGraph(reason: "\(name) has a pan of \(bus.pan) and no law for it; give it a panLaw.")
        }
        guard (1...maximumChannels).contains(bus.channels ?? 1) else {
            throw .badGraph(
                reason: """
                    \(name) has \(bus.channels ?? 0) channels; give it 1 to \(maximumChannels), or make the engine with more \
                    (AudioEngine.Configuration.maximumChannels, at most 64).
                    """)
        }
        guard let parent = bus.parent, self[parent] == nil else { return }
        throw .badGraph(
            reason:
                "\(name) leads to \(quoted(parent)), which there is not; \(thereAre). Without a parent it leads to the session's bus."
        )
    }

    private func check(_ send: Send) throws(AudioEngineError) {
        let name = "The send from \(quoted(send.source)) to \(quoted(send.target))"
        for end in [send.source, send.target] where self[end] == nil {
            throw .badGraph(reason: "\(name) needs \(quoted(end)), which there is not; \(thereAre).")
        }
        guard send.source != send.target else {
            throw .badGraph(reason: "Bus \(quoted(send.source)) sends to itself; send it to another one.")
        }
        guard send.level.isFinite else {
            throw .badGraph(reason: "\(name) has a level of \(send.level); give it a finite one.")
        }
    }

    private func checkInserts() throws(AudioEngineError) {
        var seen: [UnsafeMutableRawPointer: String] = [:]
        for bus in buses {
            guard let insert = bus.insert else { continue }
            if let other = seen[insert.context] {
                throw .badGraph(
                    reason: """
                        Buses \(quoted(other)) and \(quoted(bus.name)) have the same insert, or two with one context; an insert has a state and belongs \
                        to one bus: make one for each.
                        """)
            }
            seen[insert.context] = bus.name
        }
    }

    // MARK: Order

    /// The buses that each leads or sends to.
    private var targets: [String: [String]] {
        var targets: [String: [String]] = [:]
        for bus in buses { targets[bus.name] = bus.parent.map { [$0] } ?? [] }
        for send in sends { targets[send.source]?.append(send.target) }
        return targets
    }

    private func order() throws(AudioEngineError) -> [Bus] {
        let targets = targets
        var sources: [String: [Int]] = [:]
        var open = buses.map { targets[$0.name]?.count ?? 0 }
        for (index, bus) in buses.enumerated() {
            for target in targets[bus.name] ?? [] { sources[target, default: []].append(index) }
        }
        var order = buses.indices.filter { open[$0] == 0 }
        var next = 0
        while next < order.count {
            for source in sources[buses[order[next]].name] ?? [] {
                open[source] -= 1
                if open[source] == 0 { order.append(source) }
            }
            next += 1
        }
        guard order.count == buses.count else {
            let left = Set(buses.indices.filter { open[$0] > 0 }.map { buses[$0].name })
            let cycle = cycle(among: left, targets).joined(separator: " → ")
            throw .badGraph(
                reason:
                    "The buses lead in a circle: \(cycle). Lead one of them elsewhere, or take the send away that closes it."
            )
        }
        return order.map { buses[$0] }
    }

    // Each of `left` leads to another of them: whoever follows comes back.
    private func cycle(among left: Set<String>, _ targets: [String: [String]]) -> [String] {
        var path: [String] = []
        var next = buses.first { left.contains($0.name) }?.name
        while let name = next {
            if let begin = path.firstIndex(of: name) { return path[begin...] + [name] }
            path.append(name)
            next = targets[name]?.first(where: left.contains)
        }
        return path
    }

    // MARK: Shapes and latencies

    private func checkMaps(_ order: [Bus], sessionChannels: Int) throws(AudioEngineError) {
        let channels = Self.channels(of: order, sessionChannels: sessionChannels)
        for bus in order {
            let target = bus.parent.flatMap { channels[$0] } ?? sessionChannels
            let what = "Bus \(quoted(bus.name)) leads to \(bus.parent.map(quoted) ?? "the session's bus")"
            try check(bus.map, from: channels[bus.name] ?? 0, to: target, what)
        }
        for send in sends {
            let what = "The send from \(quoted(send.source)) leads to \(quoted(send.target))"
            try check(send.map, from: channels[send.source] ?? 0, to: channels[send.target] ?? 0, what)
        }
    }

    private func check(
        _ map: ChannelMap?, from inputs: Int, to outputs: Int, _ what: String
    ) throws(AudioEngineError) {
        guard let map, map.inputs != inputs || map.outputs != outputs else { return }
        throw .badGraph(
            reason: """
                \(what) by a channel map \(map.inputs) → \(map.outputs); it has \(inputs) channels, and that takes \(outputs). Give a map \
                \(inputs) → \(outputs), or none for the usual one.
                """)
    }

    private func checkLatency(_ order: [Bus]) throws(AudioEngineError) {
        let targets = targets
        var longest: [String: (frames: Int, path: [String])] = [:]
        for bus in order {
            // What is live does not make others wait.
            let next = bus.isLive ? [] : targets[bus.name] ?? []
            let onward = next.compactMap { longest[$0] }.max { $0.frames < $1.frames }
            let frames = (bus.insert?.latencyFrames ?? 0) + (onward?.frames ?? 0)
            let path = [bus.name] + (onward?.path ?? [])
            guard frames <= AudioInsert.maximumLatency else {
                throw .badGraph(
                    reason: """
                        The inserts along \(path.joined(separator: " → ")) delay by \(frames) frames; one path may take \(AudioInsert.maximumLatency). \
                        Use inserts that delay less, or lead these buses side by side.
                        """)
            }
            longest[bus.name] = (frames, path)
        }
    }

    private var thereAre: String { AudioEngineError.list(buses.map(\.name)) }

    private func quoted(_ name: String) -> String { "'\(name)'" }
}
