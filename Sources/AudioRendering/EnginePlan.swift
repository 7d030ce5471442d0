internal import CRenderCore

/// The topology as the control side knows it: session buses and their mixers, their outputs, inputs
/// and a capture. The engine compiles it into plans for the core.
struct EnginePlan {
    /// A session's gate. Inputs share this object with their session's bus, so they follow when it
    /// is replaced.
    final class Gate {
        let page: OpaquePointer
        /// The `sgate_keys_t *`; nil: none.
        let keys: OpaquePointer?
        /// Keeps the pages alive while any plan refers to them.
        let owner: any AnyObject & Sendable

        init(page: OpaquePointer, keys: OpaquePointer?, owner: any AnyObject & Sendable) {
            self.page = page
            self.keys = keys
            self.owner = owner
        }
    }
    /// One session bus.
    struct Bus {
        /// Nil: nothing controls the bus, which plays whenever the engine renders.
        var gate: Gate?
        /// The bus's own outputs; nil: the engine's shared outputs.
        var outputs: [OutputRoute]?
        /// The driver's input channels for the session's inputs; nil: all.
        var inputs: Range<Int>?
        /// The channel count while the bus's own list of outputs is empty.
        var lastChannels = 2
        /// Channel maps that differ from the standard one, by output index.
        var maps: [Int: ChannelMap] = [:]
        /// Whether the bus's outputs may be limited: not while the session's mode is measurement.
        var allowsLimiting = true
        /// The values that the bus was set to.
        var strip: Strip
        var mixer = Mixer()

        init(gate: Gate?, slot: Int) {
            self.gate = gate
            strip = Strip(identity: BusIdentity(slot: slot))
        }
    }
    /// One input.
    struct Input {
        var description: InputDescription
        var capture: InputCapture
        /// The gate of the session that records; nil: nothing controls the input.
        var gate: Gate?
    }
    struct InputDescription {
        var channels: Int
        /// Index of the first channel within `source`.
        var firstChannel: Int
        /// The driver's input channels for the session; nil: all.
        var source: Range<Int>?
        /// Whether the source is a program, which can end at any time.
        var isProgram = false
    }
    var buses: [Int: Bus] = [:]
    /// Slots that were released but may still be in use by the core. They are not assigned again
    /// before a plan without them is posted.
    var outgoing: Set<Int> = []
    var outgoingSends: Set<Int> = []
    private var outgoingInputs: Set<Int> = []
    /// The buses that graphs removed, by slot.
    var held: [Int: HeldSlot] = [:]
    var inputs: [Int: Input] = [:]
    /// Channels of the device, at most the engine's maximum.
    var deviceChannels = 2
    /// The minimum channel count of a bus: 2, unless the engine is limited to one channel. With two
    /// channels, sources are audible on both when the output changes from one channel to two.
    let minimumChannels: Int
    /// The outputs of buses that have none of their own; nil: one output with all of the device's
    /// channels.
    var routes: [OutputRoute]?
    /// The recorder of the first output, while a capture runs.
    var outputRecorder: OutputRecorder?
    /// Meters of outputs, whether or not a bus is routed there.
    var outputMeters: [OutputRoute: AudioMeter] = [:]
    /// Limiters of outputs, whether or not a bus is routed there.
    var outputLimiters: [OutputRoute: AudioLimiter] = [:]
    /// The device's sample rate, for meters and limiters.
    var sampleRate = 48_000
    /// Meters whose loudness taps have to be drained, as of the last posted plan.
    private(set) var loudnessMeters: [AudioMeter] = []
    /// The core's slots of the outputs in use. A new plan does not affect an output that keeps its
    /// slot.
    private var slots: [OutputRoute: Int] = [:]

    init(maximumChannels: Int) { minimumChannels = min(2, maximumChannels) }

    private var sharedRoutes: [OutputRoute] {
        routes ?? [OutputRoute(firstChannel: 0, channels: deviceChannels)]
    }

    /// Returns the outputs that a bus is routed to.
    func outputs(of bus: Bus) -> [OutputRoute] { bus.outputs ?? sharedRoutes }

    /// All outputs that buses are routed to, those of the first bus first; without buses, the
    /// shared ones.
    var usedRoutes: [OutputRoute] {
        var used: [OutputRoute] = []
        for (_, bus) in buses.sorted(by: { $0.key < $1.key }) {
            for output in outputs(of: bus) where !used.contains(output) { used.append(output) }
        }
        return used.isEmpty ? sharedRoutes : used
    }

    /// Returns the channel count of a bus: that of its first output, or of its last one while it
    /// has none, but at least `minimumChannels`.
    func channels(of bus: Bus) -> Int { max(minimumChannels, outputs(of: bus).first?.channels ?? bus.lastChannels) }

    /// Returns the channel count of the bus in a slot.
    func channels(ofBus slot: Int) -> Int { buses[slot].map { channels(of: $0) } ?? minimumChannels }

    /// Returns the core's slot of an output, for reading its level.
    func slot(of route: OutputRoute) -> Int? { slots[route] }

    /// A posted plan that the core holds, or held until recently.
    struct Posted {
        /// Objects that the plan refers to.
        var resources: [any AnyObject & Sendable]
        var inserts: [AudioInsert]
        var outline: Outline
        /// The slots of the plan's buses and sends.
        var buses: Set<Int>
        var sends: Set<Int>
    }
    /// The posted plans, the newest last.
    private(set) var posted: [Posted] = []
    /// Objects and inserts that only replaced plans referred to. They are released outside the
    /// lock, because their owners belong to the app; inserts only in `setGraph` and in the
    /// background, because other calls may come from code that holds locks.
    var unused: [any AnyObject & Sendable] = []
    var released: [AudioInsert] = []
    /// Latencies of the buses of the newest plan, in frames, by slot.
    private(set) var latencies: [Int: Int] = [:]
    /// Latencies of the newest plan's outputs, without those of 0.
    private(set) var outputLatencies: [OutputLatency] = []

    /// Returns the lowest free slot below `limit`, preferring slots that no audible plan uses.
    func freeSlot(limit: Int) -> Int? { free(limit: limit, taken: takenSlots, fading: \.buses).first }

    /// Returns the free slots, those that no audible plan uses first: a command to a slot whose
    /// previous bus still fades out would act on that bus.
    func free(limit: Int, taken: Set<Int>, fading: KeyPath<Posted, Set<Int>>) -> [Int] {
        let audible = posted.reduce(into: Set<Int>()) { $0.formUnion($1[keyPath: fading]) }
        let free = (0..<limit).filter { !taken.contains($0) }
        return free.filter { !audible.contains($0) } + free.filter(audible.contains)
    }

    /// Releases a slot and those of its mixer, from the next plan on.
    mutating func removeBus(slot: Int) {
        guard let bus = buses.removeValue(forKey: slot) else { return }
        outgoing.formUnion(bus.mixer.busSlots + [slot])
        outgoingSends.formUnion(bus.mixer.sendSlots)
    }

    /// Routes a bus to other outputs, and the inputs with the same gate to other channels.
    mutating func route(bus slot: Int, to outputs: [OutputRoute]?, from source: Range<Int>?) {
        guard var bus = buses[slot] else { return }
        bus.lastChannels = channels(of: bus)
        if bus.outputs != outputs { bus.maps = [:] }
        bus.outputs = outputs
        bus.inputs = source
        buses[slot] = bus
        for (input, _) in inputs.filter({ $0.value.gate != nil && $0.value.gate === bus.gate }) {
            inputs[input]?.description.source = source
        }
    }

    /// Replaces the gate of a bus and of the inputs that share it.
    mutating func replaceGate(ofBus slot: Int, by gate: Gate) {
        guard let before = buses[slot]?.gate else { return }
        buses[slot]?.gate = gate
        for (input, _) in inputs.filter({ $0.value.gate === before }) { inputs[input]?.gate = gate }
    }

    /// Returns the lowest free input slot below `limit`.
    func freeInput(limit: Int) -> Int? { (0..<limit).first { inputs[$0] == nil && !outgoingInputs.contains($0) } }

    /// Releases an input's slot, from the next plan on.
    mutating func removeInput(slot: Int) {
        inputs[slot] = nil
        outgoingInputs.insert(slot)
    }

    /// Posts the current topology, with at most `limit` outputs. On failure, nothing changes in the
    /// core.
    mutating func post(to queue: OpaquePointer, limit: Int) throws(AudioEngineError) {
        let slots = try assignSlots(limit: limit)
        guard let plan = rcore_plan_create() else { throw .outOfMemory(what: "a plan") }
        var parts = Parts()
        let outline = Outline(self)
        do throws(AudioEngineError) {
            try build(plan, slots, &parts)
            let status = rcore_post_plan(queue, plan, 0)
            guard status != RCORE_CONFLICT else { throw conflict(outline) }
            try check(status, "a plan of \(takenSlots.count) buses")
        } catch {
            rcore_plan_destroy(plan)
            throw error
        }
        self.slots = slots
        // The objects that must outlive the plan in the core.
        var used: [any AnyObject & Sendable] = buses.values.compactMap(\.gate?.owner)
        if let outputRecorder { used.append(outputRecorder) }
        for input in inputs.values {
            used.append(input.capture)
            if let owner = input.gate?.owner { used.append(owner) }
        }
        used += parts.maps as [any AnyObject & Sendable]
        for (meter, core) in parts.meters {
            used.append(core)
            meter.use(core)
        }
        for (output, limiter) in outputLimiters {
            let core = parts.limiters[output]
            if let core { used.append(core) }
            limiter.use(core)
        }
        loudnessMeters = parts.meters.map(\.0).filter(\.measuresLoudness)
        let mixers = buses.values.map(\.mixer)
        posted.append(
            Posted(
                resources: used, inserts: parts.inserts, outline: outline,
                buses: Set(mixers.flatMap(\.busSlots)).union(buses.keys), sends: Set(mixers.flatMap(\.sendSlots))))
        // `plan` is still valid: the core does not free the newest plan before the next is posted.
        latencies = [:]
        for slot in buses.flatMap({ [$0.key] + $0.value.mixer.busSlots }) {
            latencies[slot] = Int(rcore_plan_latency(plan, UInt32(slot)))
        }
        outputLatencies = OutputLatency.merge(usedRoutes.map { latency(of: $0, limiter: parts.limiters[$0]) })
        outgoing = []
        outgoingSends = []
        outgoingInputs = []
        held = held.filter { $0.value.identity != nil }
    }

    /// Returns the latency of an output: of the buses of all sessions that feed it, plus its
    /// limiter.
    private func latency(of output: OutputRoute, limiter: CoreLimiter?) -> OutputLatency {
        let routed = buses.filter { outputs(of: $0.value).contains(output) }
        let busLatencies = routed.flatMap { [$0.key] + $0.value.mixer.busSlots }.map { latencies[$0] ?? 0 }
        let own = limiter.map { Int(rcore_limiter_latency($0.handle)) } ?? 0
        let frames = (busLatencies.min() ?? 0) + own...(busLatencies.max() ?? 0) + own
        return OutputLatency(
            channels: output.firstChannel..<(output.firstChannel + output.channels), frames: frames)
    }

    /// Forgets the plans that the core no longer uses; keeps their objects in `unused` and their
    /// inserts in `released`.
    mutating func collect(from core: OpaquePointer) {
        let freed = posted.count - max(1, Int(rcore_collect_plans(core)))
        guard freed > 0 else { return }
        for plan in posted.prefix(freed) {
            unused += plan.resources
            released += plan.inserts
        }
        posted.removeFirst(freed)
    }

    /// Whether the core uses no plan but the newest.
    var isSettled: Bool { posted.count <= 1 }

    /// Assigns slots to the outputs in use: outputs keep theirs, new ones get the lowest free
    /// slots.
    private func assignSlots(limit: Int) throws(AudioEngineError) -> [OutputRoute: Int] {
        let used = usedRoutes
        guard used.count <= limit else {
            throw .invalidArgument(what: "routing buses to \(used.count) outputs at once: the engine has \(limit)")
        }
        var assigned = slots.filter { used.contains($0.key) }
        for route in used where assigned[route] == nil {
            let taken = Set(assigned.values)
            assigned[route] = (0..<limit).first { !taken.contains($0) }
        }
        return assigned
    }
}
