internal import CRenderCore

/// The topology as control knows it: session buses and their desks, the outputs they lead to, inputs, a capture. Turned into plans for the core.
struct EnginePlan {
    /// A session's gate. Its identity says which inputs listen under it: they follow when it is replaced.
    final class Gate {
        let page: OpaquePointer
        /// Keeps the page alive while any plan refers to it.
        let owner: any AnyObject & Sendable

        init(page: OpaquePointer, owner: any AnyObject & Sendable) {
            self.page = page
            self.owner = owner
        }
    }
    /// One session bus.
    struct Bus {
        var gate: Gate
        /// Where it leads; nil: where all buses lead that have no outputs of their own.
        var outputs: [OutputRoute]?
        /// The driver's input channels that its inputs listen to; nil: all.
        var inputs: Range<Int>?
        /// Channels while it has outputs of its own, and none of them.
        var lastChannels = 2
        /// By place among its outputs: another map than the usual one.
        var maps: [Int: ChannelMap] = [:]
        /// Whether what it leads to may be limited: not while its session measures.
        var allowsLimiting = true
        /// What it was set to.
        var strip: Strip
        var desk = Desk()
        /// Held by who plays on it.
        weak var session: SessionBus?

        init(gate: Gate, slot: Int) {
            self.gate = gate
            strip = Strip(identity: BusIdentity(name: nil, slot: slot))
        }
    }
    /// One input.
    struct Input {
        var description: InputDescription
        var capture: InputCapture
        /// Of the session that listens.
        var gate: Gate
    }
    struct InputDescription {
        var channels: Int
        /// Among the channels of `source`.
        var firstChannel: Int
        /// The driver's input channels that the session listens to; nil: all.
        var source: Range<Int>?
    }
    var buses: [Int: Bus] = [:]
    /// Slots that are given up while the core may still have them: not to be taken before a plan without them is posted.
    var leaving: Set<Int> = []
    var leavingSends: Set<Int> = []
    private var leavingInputs: Set<Int> = []
    /// By slot: buses that graphs gave up.
    var held: [Int: HeldSlot] = [:]
    var inputs: [Int: Input] = [:]
    /// Of the device, at most the engine's.
    var deviceChannels = 2
    /// Channels a bus has at least, so that what plays to one channel and then to two is heard on both.
    let leastChannels: Int
    /// Where buses lead that have no outputs of their own; nil: one route over all of the device's channels.
    var routes: [OutputRoute]?
    var capture: Capture?
    /// Measure outputs that buses lead to, or may lead to.
    var outputMeters: [OutputRoute: AudioMeter] = [:]
    /// Keep outputs that buses lead to, or may lead to, below a ceiling.
    var outputLimiters: [OutputRoute: AudioLimiter] = [:]
    /// Of the device, for meters and limiters.
    var sampleRate = 48_000
    /// Whose rings are to be drained, as of the last posted plan.
    private(set) var loudnessMeters: [AudioMeter] = []
    /// The slots of outputs that posted plans lead to: what keeps its slot goes on undisturbed.
    private var slots: [OutputRoute: Int] = [:]

    init(maximumChannels: Int) { leastChannels = min(2, maximumChannels) }

    private var sharedRoutes: [OutputRoute] {
        routes ?? [OutputRoute(firstChannel: 0, channels: deviceChannels)]
    }

    /// Where a bus leads.
    func outputs(of bus: Bus) -> [OutputRoute] { bus.outputs ?? sharedRoutes }

    /// All outputs that buses lead to, those of the first bus in front; without buses the shared ones.
    var usedRoutes: [OutputRoute] {
        var used: [OutputRoute] = []
        for (_, bus) in buses.sorted(by: { $0.key < $1.key }) {
            for output in outputs(of: bus) where !used.contains(output) { used.append(output) }
        }
        return used.isEmpty ? sharedRoutes : used
    }

    /// Channels of a bus: its first output's, two at least.
    func channels(of bus: Bus) -> Int { max(leastChannels, outputs(of: bus).first?.channels ?? bus.lastChannels) }

    /// The same, of a slot.
    func channels(ofBus slot: Int) -> Int { buses[slot].map { channels(of: $0) } ?? leastChannels }

    /// The core's slot of an output, for who asks after its level.
    func slot(of route: OutputRoute) -> Int? { slots[route] }

    /// A plan that the core has, or had until lately.
    struct Posted {
        /// What it refers to.
        var resources: [any AnyObject & Sendable]
        var inserts: [AudioInsert]
        var outline: Outline
        /// The slots of its buses and sends.
        var buses: Set<Int>
        var sends: Set<Int>
    }
    /// Newest last.
    private(set) var posted: [Posted] = []
    /// Inserts that only replaced plans had, to be let go of outside the lock: their owners are an app's.
    var released: [AudioInsert] = []
    /// Of what plays on each bus of the newest one.
    private(set) var latencies: [Int: Int] = [:]
    /// Of its outputs, those that anything delays.
    private(set) var outputLatencies: [OutputLatency] = []

    /// A free slot below `limit`: the lowest that no plan has which may still be heard; where there is none, the lowest.
    func freeSlot(limit: Int) -> Int? { free(limit: limit, taken: takenSlots, fading: \.buses).first }

    /// Free slots, those in front that no plan has which may still be heard: what is told of a slot that fades is told of what fades.
    func free(limit: Int, taken: Set<Int>, fading: KeyPath<Posted, Set<Int>>) -> [Int] {
        let heard = posted.reduce(into: Set<Int>()) { $0.formUnion($1[keyPath: fading]) }
        let free = (0..<limit).filter { !taken.contains($0) }
        return free.filter { !heard.contains($0) } + free.filter(heard.contains)
    }

    /// Gives a slot up, and those of its desk, from the next plan on.
    mutating func removeBus(slot: Int) {
        guard let bus = buses.removeValue(forKey: slot) else { return }
        leaving.formUnion(bus.desk.busSlots + [slot])
        leavingSends.formUnion(bus.desk.sendSlots)
    }

    /// Leads a bus elsewhere, and has the inputs that listen under its gate listen to other channels.
    mutating func lead(bus slot: Int, to outputs: [OutputRoute]?, from source: Range<Int>?) {
        guard var bus = buses[slot] else { return }
        bus.lastChannels = channels(of: bus)
        if bus.outputs != outputs { bus.maps = [:] }
        bus.outputs = outputs
        bus.inputs = source
        buses[slot] = bus
        for (input, _) in inputs.filter({ $0.value.gate === bus.gate }) { inputs[input]?.description.source = source }
    }

    /// Gives a bus, and the inputs that listen under its gate, another gate.
    mutating func replaceGate(ofBus slot: Int, by gate: Gate) {
        guard let before = buses[slot]?.gate else { return }
        buses[slot]?.gate = gate
        for (input, _) in inputs.filter({ $0.value.gate === before }) { inputs[input]?.gate = gate }
    }

    /// The lowest free input slot below `limit`.
    func freeInput(limit: Int) -> Int? { (0..<limit).first { inputs[$0] == nil && !leavingInputs.contains($0) } }

    /// Gives an input up, from the next plan on.
    mutating func removeInput(slot: Int) {
        inputs[slot] = nil
        leavingInputs.insert(slot)
    }

    /// Posts the topology as it stands; at most `limit` outputs. On failure nothing changed for the core.
    mutating func post(to port: OpaquePointer, limit: Int) throws(AudioEngineError) {
        let slots = try assignSlots(limit: limit)
        guard let plan = rcore_plan_create() else { throw .outOfMemory(what: "a plan") }
        var parts = Parts()
        let outline = Outline(self)
        do throws(AudioEngineError) {
            try build(plan, slots, &parts)
            let status = rcore_post_plan(port, plan, 0)
            guard status != RCORE_CONFLICT else { throw conflict(outline) }
            try check(status, "a plan of \(takenSlots.count) buses")
        } catch {
            rcore_plan_destroy(plan)
            throw error
        }
        self.slots = slots
        var used: [any AnyObject & Sendable] = buses.values.map { $0.gate.owner }
        if let capture { used.append(capture) }
        for input in inputs.values { used += [input.capture, input.gate.owner] }
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
        let desks = buses.values.map(\.desk)
        posted.append(
            Posted(
                resources: used, inserts: parts.inserts, outline: outline,
                buses: Set(desks.flatMap(\.busSlots)).union(buses.keys), sends: Set(desks.flatMap(\.sendSlots))))
        // The newest plan is not freed before the next one is posted.
        latencies = [:]
        for slot in buses.flatMap({ [$0.key] + $0.value.desk.busSlots }) {
            latencies[slot] = Int(rcore_plan_latency(plan, UInt32(slot)))
        }
        outputLatencies = OutputLatency.merge(usedRoutes.map { latency(of: $0, limiter: parts.limiters[$0]) })
        leaving = []
        leavingSends = []
        leavingInputs = []
        held = held.filter { $0.value.identity != nil }
    }

    /// By buses of all sessions that lead there, and its limiter.
    private func latency(of output: OutputRoute, limiter: CoreLimiter?) -> OutputLatency {
        let leading = buses.filter { outputs(of: $0.value).contains(output) }
        let later = leading.flatMap { [$0.key] + $0.value.desk.busSlots }.map { latencies[$0] ?? 0 }
        let own = limiter.map { Int(rcore_limiter_latency($0.handle)) } ?? 0
        let frames = (later.min() ?? 0) + own...(later.max() ?? 0) + own
        return OutputLatency(
            channels: output.firstChannel..<(output.firstChannel + output.channels), frames: frames)
    }

    /// Lets go of what only replaced plans referred to.
    mutating func collect(from core: OpaquePointer) {
        let gone = posted.count - max(1, Int(rcore_collect_plans(core)))
        guard gone > 0 else { return }
        released += posted.prefix(gone).flatMap(\.inserts)
        posted.removeFirst(gone)
    }

    /// Whether no plan before the last one is in use any more.
    var isSettled: Bool { posted.count <= 1 }

    /// Outputs keep their slots; new ones take the lowest that are free.
    private func assignSlots(limit: Int) throws(AudioEngineError) -> [OutputRoute: Int] {
        let used = usedRoutes
        guard used.count <= limit else {
            throw .invalidArgument(what: "leading buses to \(used.count) outputs at once: an engine has \(limit)")
        }
        var assigned = slots.filter { used.contains($0.key) }
        for route in used where assigned[route] == nil {
            let taken = Set(assigned.values)
            assigned[route] = (0..<limit).first { !taken.contains($0) }
        }
        return assigned
    }
}
