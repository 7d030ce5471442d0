internal import CRenderCore

/// The mixers of sessions: the buses that feed a session bus, and their sends.
extension EnginePlan {
    /// The state of a bus, which outlasts plans.
    struct Strip {
        let identity: BusIdentity
        var gain: Float = 1
        var pan: Float = 0
        var isMuted = false
        var isSoloed = false
        /// The meter on the bus's output.
        var meter: AudioMeter?
    }
    /// The state of a send, which outlasts plans.
    struct SendState {
        let identity: SendIdentity
        var level: Float
    }
    /// A session's mixer: its graph, and the states of the graph's buses and sends.
    struct Mixer {
        var graph = BusGraph()
        /// The graph's buses, each after all its targets. Buses with an insert have explicit
        /// channel counts: an effect keeps its channels while it runs.
        var order: [BusGraph.Bus] = []
        /// The states of the buses, by name.
        var strips: [String: Strip] = [:]
        /// The states of the sends, by the buses that they connect.
        var sendStates: [BusGraph.Send.Ends: SendState] = [:]

        var busSlots: [Int] { strips.values.map(\.identity.slot) }
        var sendSlots: [Int] { sendStates.values.map(\.identity.slot) }
    }
    /// The bus that a graph removed from a slot. While it is still referenced or played on, the
    /// slot is not assigned again.
    struct HeldSlot { weak var identity: BusIdentity? }

    // MARK: Buses by identity

    /// The state of a bus; nil if the bus does not exist. Setting it changes an existing bus only.
    subscript(bus: BusIdentity) -> Strip? {
        get {
            let session = buses[bus.session.slot]
            let strip = bus.name.map { session?.mixer.strips[$0] } ?? session?.strip
            return strip?.identity === bus ? strip : nil
        }
        set {
            guard let newValue, self[bus] != nil else { return }
            if let name = bus.name {
                buses[bus.session.slot]?.mixer.strips[name] = newValue
            } else {
                buses[bus.session.slot]?.strip = newValue
            }
        }
    }

    /// Returns the description of a mixer's bus; nil for a session's bus, and if the bus does not
    /// exist.
    func description(of bus: BusIdentity) -> BusGraph.Bus? {
        self[bus] == nil ? nil : bus.name.flatMap { buses[bus.session.slot]?.mixer.graph[$0] }
    }

    /// Returns the channel count of an existing bus.
    func channels(of bus: BusIdentity) -> Int {
        guard let name = bus.name, let session = buses[bus.session.slot] else {
            return channels(ofBus: bus.session.slot)
        }
        let channels = BusGraph.channels(of: session.mixer.order, sessionChannels: channels(of: session))
        return channels[name] ?? minimumChannels
    }

    /// Returns the slots of a bus and of all buses below it: its children, their children and so
    /// on. Sends do not count.
    func slots(under bus: BusIdentity) -> Set<Int> {
        guard let session = buses[bus.session.slot] else { return [] }
        guard let name = bus.name else { return Set(session.mixer.busSlots + [bus.slot]) }
        var names: Set<String> = [name]
        for child in session.mixer.order where child.parent.map(names.contains) ?? false { names.insert(child.name) }
        return Set(names.compactMap { session.mixer.strips[$0]?.identity.slot } + [bus.slot])
    }

    // MARK: Sends by identity

    /// The state of a send; nil if the send does not exist. Setting it changes an existing send
    /// only.
    subscript(send: SendIdentity) -> SendState? {
        get {
            let state = buses[send.session.slot]?.mixer.sendStates[send.ends]
            return state?.identity === send ? state : nil
        }
        set {
            guard let newValue, self[send] != nil else { return }
            buses[send.session.slot]?.mixer.sendStates[send.ends] = newValue
        }
    }

    /// Returns the identity of a send. Throws `noSuchSend`, or `busRemoved` if the bus no longer
    /// exists.
    func send(from bus: BusIdentity, to target: String) throws(AudioEngineError) -> SendIdentity {
        guard self[bus] != nil, let name = bus.name else { throw bus.removed }
        let ends = BusGraph.Send.Ends(source: name, target: target)
        guard let state = buses[bus.session.slot]?.mixer.sendStates[ends] else {
            throw noSend(ends, in: bus.session)
        }
        return state.identity
    }

    /// The error for a send that does not exist.
    func noSend(_ ends: BusGraph.Send.Ends, in session: BusIdentity) -> AudioEngineError {
        let sends = buses[session.slot]?.mixer.graph.sends.filter { $0.source == ends.source } ?? []
        return .noSuchSend(from: ends.source, to: ends.target, among: sends.map(\.target))
    }

    // MARK: Graphs

    /// Replaces the mixer of a session bus; buses that keep their names keep their slots. Returns
    /// the removed buses. On failure, the caller discards the plan.
    mutating func setGraph(
        _ graph: BusGraph, ofBus slot: Int, sizes: rcore_config_t
    ) throws(AudioEngineError) -> [BusIdentity] {
        guard let session = buses[slot] else { throw .engineGone }
        let resolved = graph.keepingChannels(of: session.mixer.order)
        let order = try resolved.ordered(sessionChannels: channels(of: session), sizes: sizes)
        var mixer = Mixer(graph: graph, order: order.withInsertChannels(sessionChannels: channels(of: session)))

        // Buses: those that keep their names keep their strips, new ones get free slots.
        let names = Set(order.map(\.name))
        let removedStrips = session.mixer.strips.filter { !names.contains($0.key) }
        let removed = removedStrips.values.map(\.identity).sorted { $0.slot < $1.slot }
        for identity in removed {
            outgoing.insert(identity.slot)
            held[identity.slot] = HeldSlot(identity: identity)
        }
        var freeBuses = try freeSlots(
            order.count { session.mixer.strips[$0.name] == nil }, of: Int(sizes.max_buses), taken: takenSlots,
            fading: \.buses, "buses", "maximumBuses")
        for bus in order {
            let strip =
                session.mixer.strips[bus.name]
                ?? Strip(
                    identity: BusIdentity(
                        name: bus.name, slot: freeBuses.removeFirst(), session: session.strip.identity),
                    gain: bus.gain, pan: bus.pan, isMuted: bus.isMuted)
            mixer.strips[bus.name] = strip
        }
        // Sends: likewise, by the pair of buses that they connect.
        let keptSends = session.mixer.sendStates.filter { state in graph.sends.contains { $0.ends == state.key } }
        let removedSends = session.mixer.sendStates.filter { keptSends[$0.key] == nil }
        outgoingSends.formUnion(removedSends.values.map(\.identity.slot))
        let takenSends = buses.values.reduce(into: outgoingSends) { $0.formUnion($1.mixer.sendSlots) }
        var freeSends = try freeSlots(
            graph.sends.count - keptSends.count, of: Int(sizes.max_sends), taken: takenSends, fading: \.sends,
            "sends", "maximumSends")
        for send in graph.sends {
            mixer.sendStates[send.ends] =
                keptSends[send.ends]
                ?? SendState(
                    identity: SendIdentity(
                        slot: freeSends.removeFirst(), ends: send.ends, session: session.strip.identity),
                    level: send.level)
        }
        buses[slot]?.mixer = mixer
        return removed
    }

    /// Checks that each insert is on one bus only, across all sessions.
    func checkInserts() throws(AudioEngineError) {
        var seen: [UnsafeMutableRawPointer: String] = [:]
        for bus in buses.sorted(by: { $0.key < $1.key }).flatMap(\.value.mixer.order) {
            guard let insert = bus.insert else { continue }
            if let other = seen.updateValue(bus.name, forKey: insert.context) {
                throw .badGraph(
                    reason: """
                        Buses '\(other)' and '\(bus.name)' of two sessions share an insert, or its context; an insert has state and belongs to one \
                        bus: create one for each.
                        """)
            }
        }
    }
    /// Slots that must not be assigned to other buses.
    var takenSlots: Set<Int> {
        var taken = outgoing.union(buses.keys)
        for bus in buses.values { taken.formUnion(bus.mixer.busSlots) }
        return taken.union(held.filter { $0.value.identity != nil }.keys)
    }

    /// Returns `count` free slots. Throws `badGraph`, naming the configuration's `name` for `what`,
    /// if there are fewer.
    private func freeSlots(
        _ count: Int, of limit: Int, taken: Set<Int>, fading: KeyPath<Posted, Set<Int>>, _ what: String, _ name: String
    ) throws(AudioEngineError) -> [Int] {
        let free = free(limit: limit, taken: taken, fading: fading)
        guard free.count >= count else {
            throw .badGraph(
                reason: """
                    The graph needs \(count) more \(what); of the engine's \(limit), for all sessions, \(free.count) are free (removed ones \
                    become free once nothing holds them or plays on them). Create the engine with more (AudioEngine.Configuration.\(name)).
                    """)
        }
        return Array(free.prefix(count))
    }

    // MARK: For the core

    /// Adds a session's mixer to the plan, after its session bus.
    func build(
        _ mixer: Mixer, under session: Bus, slot: Int, _ plan: OpaquePointer, _ parts: inout Parts
    ) throws(AudioEngineError) {
        let channels = BusGraph.channels(of: mixer.order, sessionChannels: channels(of: session))
        for bus in mixer.order {
            guard let strip = mixer.strips[bus.name] else { continue }
            let busChannels = channels[bus.name] ?? 0
            let parent = bus.parent.flatMap { mixer.strips[$0]?.identity.slot } ?? slot
            let target = bus.parent.flatMap { channels[$0] } ?? self.channels(of: session)
            var description = rcore_bus_description_t()
            description.slot = UInt32(strip.identity.slot)
            description.channels = UInt32(clamping: busChannels)
            description.parent = UInt32(parent)
            // A panned mono bus needs no map: its pan routes it to both channels.
            let isPannedMono = busChannels == 1 && target > 1 && bus.panLaw != nil
            description.matrix = try parts.map(bus.map, from: busChannels, to: target, direct: isPannedMono)
            description.meter = try parts.meter(strip.meter, channels: busChannels, sampleRate: sampleRate)
            description.insert = parts.insert(bus.insert)
            description.pan_law = bus.panLaw.coreLaw
            description.solo_safe = bus.isSoloSafe
            description.compensation_exempt = bus.isCompensationExempt
            try check(rcore_plan_add_bus(plan, &description), "bus '\(bus.name)'")
            let status = rcore_plan_set_initial_bus_state(
                plan, description.slot, strip.gain, strip.pan, strip.isMuted, strip.isSoloed)
            try check(status, "bus '\(bus.name)'")
        }
        for send in mixer.graph.sends {
            guard let state = mixer.sendStates[send.ends], let source = mixer.strips[send.source]?.identity.slot,
                let target = mixer.strips[send.target]?.identity.slot
            else { continue }
            var description = rcore_send_description_t()
            description.slot = UInt32(state.identity.slot)
            description.source = UInt32(source)
            description.target = UInt32(target)
            description.pre_fader = send.isPreFader
            description.matrix = try parts.map(
                send.map, from: channels[send.source] ?? 0, to: channels[send.target] ?? 0)
            try check(
                rcore_plan_add_send(plan, &description), "the send from '\(send.source)' to '\(send.target)'")
            try check(
                rcore_plan_set_initial_send_level(plan, description.slot, state.level),
                "the send from '\(send.source)' to '\(send.target)'")
        }
    }
}

extension EnginePlan.Parts {
    /// Returns the core's matrix between two buses; nil if channels pass one to one. The standard
    /// map replaces a map whose shape no longer fits because its session's bus got other channels.
    mutating func map(
        _ explicit: ChannelMap?, from inputs: Int, to outputs: Int, direct: Bool = false
    ) throws(AudioEngineError) -> OpaquePointer? {
        let fitting = explicit.flatMap { $0.inputs == inputs && $0.outputs == outputs ? $0 : nil }
        let standard =
            fitting == nil && inputs != outputs && !direct
            ? try ChannelMap.standard(from: inputs, to: outputs) : nil
        guard let map = fitting ?? standard else { return nil }
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
    /// Returns the graph with explicit channel counts for the buses that specify none and keep the
    /// insert that they have in `before`: such a bus keeps its channel count too.
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
    /// Returns the buses, with explicit channel counts for those that have an insert.
    fileprivate func withInsertChannels(sessionChannels: Int) -> [BusGraph.Bus] {
        let channels = BusGraph.channels(of: self, sessionChannels: sessionChannels)
        return map { bus in
            var bus = bus
            if bus.insert != nil { bus.channels = channels[bus.name] }
            return bus
        }
    }
}
