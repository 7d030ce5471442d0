internal import CRenderCore

/// The desks of sessions: the buses that lead to a session bus, and their sends.
extension EnginePlan {
    /// What a bus was set to, and stays while plans come and go.
    struct Strip {
        let identity: BusIdentity
        var gain: Float = 1
        var pan: Float = 0
        var isMuted = false
        var isSoloed = false
        /// Measures what leaves it.
        var meter: AudioMeter?
    }
    /// The same, of a send.
    struct Line {
        let identity: SendIdentity
        var level: Float
    }
    struct Desk {
        var graph = BusGraph()
        /// The graph's buses, each behind all it leads to. Those with an insert have channels of their own: an effect does not get others while it runs.
        var order: [BusGraph.Bus] = []
        /// By name.
        var strips: [String: Strip] = [:]
        var lines: [BusGraph.Send.Ends: Line] = [:]

        var busSlots: [Int] { strips.values.map(\.identity.slot) }
        var sendSlots: [Int] { lines.values.map(\.identity.slot) }
    }
    /// The slot of a bus that is in no graph any more, while somebody holds or plays on it.
    struct HeldSlot { weak var identity: BusIdentity? }

    // MARK: Buses by identity

    /// What a bus was set to; nil: it is not there, or no more. Set, it changes one that is there.
    subscript(bus: any AudioBus) -> Strip? {
        get {
            let session = buses[bus.session.slot]
            let strip = bus.identity.name.map { session?.desk.strips[$0] } ?? session?.strip
            return strip?.identity === bus.identity ? strip : nil
        }
        set {
            guard let newValue, self[bus] != nil else { return }
            if let name = bus.identity.name {
                buses[bus.session.slot]?.desk.strips[name] = newValue
            } else {
                buses[bus.session.slot]?.strip = newValue
            }
        }
    }

    /// Channels of a bus that is there.
    func channels(of bus: any AudioBus) -> Int {
        guard let name = bus.identity.name, let session = buses[bus.session.slot] else {
            return channels(ofBus: bus.session.slot)
        }
        return BusGraph.channels(of: session.desk.order, sessionChannels: channels(of: session))[name] ?? leastChannels
    }

    /// The slots of a bus and of all that lead to it.
    func slots(upTo bus: any AudioBus) -> Set<Int> {
        guard let session = buses[bus.session.slot] else { return [] }
        guard let name = bus.identity.name else { return Set(session.desk.busSlots + [bus.slot]) }
        var names: Set<String> = [name]
        for child in session.desk.order where child.parent.map(names.contains) ?? false { names.insert(child.name) }
        return Set(names.compactMap { session.desk.strips[$0]?.identity.slot } + [bus.slot])
    }

    // MARK: Graphs

    /// Gives a session bus another desk; what keeps its name keeps its slot. Returns the buses that it takes away. On failure the plan is to be thrown away.
    mutating func setGraph(
        _ graph: BusGraph, ofBus slot: Int, configuration: AudioEngine.Configuration
    ) throws(AudioEngineError) -> [BusIdentity] {
        guard let session = buses[slot] else { throw .engineGone }
        let steady = graph.keepingChannels(of: session.desk.order)
        let order = try steady.ordered(sessionChannels: channels(of: session), configuration: configuration)
        var desk = Desk(graph: graph, order: order.withSteadyInserts(sessionChannels: channels(of: session)))

        let names = Set(order.map(\.name))
        let goneStrips = session.desk.strips.filter { !names.contains($0.key) }
        let removed = goneStrips.values.map(\.identity).sorted { $0.slot < $1.slot }
        for identity in removed {
            leaving.insert(identity.slot)
            held[identity.slot] = HeldSlot(identity: identity)
        }
        var free = try freeSlots(
            order.count { session.desk.strips[$0.name] == nil }, of: configuration.maximumBuses, taken: takenSlots,
            fading: \.buses, "buses", "maximumBuses")
        for bus in order {
            let strip =
                session.desk.strips[bus.name]
                ?? Strip(
                    identity: BusIdentity(name: bus.name, slot: free.removeFirst()), gain: bus.gain, pan: bus.pan,
                    isMuted: bus.isMuted)
            desk.strips[bus.name] = strip
        }
        let kept = session.desk.lines.filter { line in graph.sends.contains { $0.ends == line.key } }
        leavingSends.formUnion(session.desk.lines.filter { kept[$0.key] == nil }.values.map(\.identity.slot))
        let taken = buses.values.reduce(into: leavingSends) { $0.formUnion($1.desk.sendSlots) }
        var freeSends = try freeSlots(
            graph.sends.count - kept.count, of: configuration.maximumSends, taken: taken, fading: \.sends, "sends",
            "maximumSends")
        for send in graph.sends {
            let line = kept[send.ends] ?? Line(identity: SendIdentity(slot: freeSends.removeFirst()), level: send.level)
            desk.lines[send.ends] = line
        }
        buses[slot]?.desk = desk
        return removed
    }

    /// Slots of buses that are not to be given to others.
    var takenSlots: Set<Int> {
        var taken = leaving.union(buses.keys)
        for bus in buses.values { taken.formUnion(bus.desk.busSlots) }
        return taken.union(held.filter { $0.value.identity != nil }.keys)
    }

    private func freeSlots(
        _ count: Int, of limit: Int, taken: Set<Int>, fading: KeyPath<Posted, Set<Int>>, _ what: String, _ name: String
    ) throws(AudioEngineError) -> [Int] {
        let free = free(limit: limit, taken: taken, fading: fading)
        guard free.count >= count else {
            throw .badGraph(
                reason: """
                    The graph needs \(count) \(what) more; of the engine's \(limit), for all sessions, \(free.count) are free (those that a \
                    graph gives up are free once nobody holds or plays on them). Make it with more (AudioEngine.Configuration.\(name)).
                    """)
        }
        return Array(free.prefix(count))
    }

    // MARK: For the core

    /// Adds a session's desk behind its session bus.
    func build(
        _ desk: Desk, under session: Bus, slot: Int, _ plan: OpaquePointer, _ parts: inout Parts
    ) throws(AudioEngineError) {
        let channels = BusGraph.channels(of: desk.order, sessionChannels: channels(of: session))
        for bus in desk.order {
            guard let strip = desk.strips[bus.name] else { continue }
            let own = channels[bus.name] ?? 0
            let parent = bus.parent.flatMap { desk.strips[$0]?.identity.slot } ?? slot
            let target = bus.parent.flatMap { channels[$0] } ?? self.channels(of: session)
            var description = rcore_bus_description_t()
            description.slot = UInt32(strip.identity.slot)
            description.channels = UInt32(clamping: own)
            description.parent = UInt32(parent)
            // A mono bus that is panned needs no map: the pan leads it to both sides.
            let isPannedMono = own == 1 && target > 1 && bus.panLaw != nil
            description.matrix = try parts.map(bus.map, from: own, to: target, direct: isPannedMono)
            description.meter = try parts.meter(strip.meter, channels: own, sampleRate: sampleRate)
            description.insert = parts.insert(bus.insert)
            description.pan_law = bus.panLaw.coreLaw
            description.solo_safe = bus.isSoloSafe
            description.live = bus.isLive
            try check(rcore_plan_add_bus(plan, &description), "bus '\(bus.name)'")
            let begun = rcore_plan_begin_bus(
                plan, description.slot, strip.gain, strip.pan, strip.isMuted, strip.isSoloed)
            try check(begun, "bus '\(bus.name)'")
        }
        for send in desk.graph.sends {
            guard let line = desk.lines[send.ends], let source = desk.strips[send.source]?.identity.slot,
                let target = desk.strips[send.target]?.identity.slot
            else { continue }
            var description = rcore_send_description_t()
            description.slot = UInt32(line.identity.slot)
            description.source = UInt32(source)
            description.target = UInt32(target)
            description.pre_fader = send.isPreFader
            description.matrix = try parts.map(
                send.map, from: channels[send.source] ?? 0, to: channels[send.target] ?? 0)
            try check(
                rcore_plan_add_send(plan, &description), "the send from '\(send.source)' to '\(send.target)'")
            try check(
                rcore_plan_begin_send(plan, description.slot, line.level),
                "the send from '\(send.source)' to '\(send.target)'")
        }
    }
}

extension EnginePlan.Parts {
    /// The core's matrix between two buses. A map of another shape, made before its session's bus got other channels, gives way to the usual one, which is
    /// none where all go straight.
    mutating func map(
        _ own: ChannelMap?, from inputs: Int, to outputs: Int, direct: Bool = false
    ) throws(AudioEngineError) -> OpaquePointer? {
        let fitting = own.flatMap { $0.inputs == inputs && $0.outputs == outputs ? $0 : nil }
        let usual =
            fitting == nil && inputs != outputs && !direct
            ? try ChannelMap.standard(from: inputs, to: outputs) : nil
        guard let map = fitting ?? usual else { return nil }
        maps.append(map)
        return map.handle
    }

    mutating func insert(_ insert: AudioInsert?) -> rcore_insert_t {
        guard let insert else { return rcore_insert_t() }
        inserts.append(insert)
        return rcore_insert_t(
            render: insert.function, context: insert.context, latency_frames: UInt32(insert.latencyFrames))
    }
}

extension BusGraph {
    /// The same, but that a bus which keeps its insert, and says nothing of its channels, keeps these too.
    fileprivate func keepingChannels(of before: [Bus]) -> BusGraph {
        var graph = self
        for index in buses.indices where buses[index].channels == nil && buses[index].insert != nil {
            let bus = buses[index]
            graph.buses[index].channels = before.first { $0.name == bus.name && $0.insert == bus.insert }?.channels
        }
        return graph
    }
}

extension [BusGraph.Bus] {
    fileprivate func withSteadyInserts(sessionChannels: Int) -> [BusGraph.Bus] {
        let channels = BusGraph.channels(of: self, sessionChannels: sessionChannels)
        return map { bus in
            var bus = bus
            if bus.insert != nil { bus.channels = channels[bus.name] }
            return bus
        }
    }
}

extension Pan.Law? {
    var coreLaw: rcore_pan_law_t {
        switch self {
        case .equalPower: RCORE_PAN_EQUAL_POWER
        case .linear: RCORE_PAN_LINEAR
        case nil: RCORE_PAN_NONE
        }
    }
}
