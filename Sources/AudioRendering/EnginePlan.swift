internal import CRenderCore

/// The topology as control knows it: session buses, routes, inputs, a capture. Turned into plans for the core.
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
        /// By route: another map than the usual one.
        var maps: [Int: ChannelMap] = [:]
    }
    /// One input.
    struct Input {
        var description: InputDescription
        var capture: InputCapture
        /// Of the session that listens.
        var gate: Gate
    }
    struct InputDescription { var channels: Int, firstChannel: Int }
    var buses: [Int: Bus] = [:]
    /// Slots that are given up while the core may still have them: not to be taken before a plan without them is posted.
    private var leaving: Set<Int> = []
    private var leavingInputs: Set<Int> = []
    var inputs: [Int: Input] = [:]
    /// Of the device, at most the engine's.
    var deviceChannels = 2
    /// nil: one route over all of the device's channels.
    var routes: [OutputRoute]?
    var capture: Capture?

    var usedRoutes: [OutputRoute] { routes ?? [OutputRoute(firstChannel: 0, channels: deviceChannels)] }
    /// Channels of every bus: the first route's.
    var outputChannels: Int { usedRoutes.first?.channels ?? deviceChannels }

    /// What posted plans refer to, newest last.
    private var resources: [[any AnyObject & Sendable]] = []

    /// The lowest free slot below `limit`.
    func freeSlot(limit: Int) -> Int? { (0..<limit).first { buses[$0] == nil && !leaving.contains($0) } }

    /// Gives a slot up, from the next plan on.
    mutating func removeBus(slot: Int) {
        buses[slot] = nil
        leaving.insert(slot)
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

    /// Posts the topology as it stands. On failure nothing changed for the core.
    mutating func post(to port: OpaquePointer) throws(AudioEngineError) {
        guard let plan = rcore_plan_create() else { throw .outOfMemory(what: "a plan") }
        let maps: [ChannelMap]
        do throws(AudioEngineError) {
            maps = try build(plan)
            try check(rcore_post_plan(port, plan, 0), "a plan of \(buses.count) buses")
        } catch {
            rcore_plan_destroy(plan)
            throw error
        }
        var used: [any AnyObject & Sendable] = buses.values.map { $0.gate.owner }
        if let capture { used.append(capture) }
        for input in inputs.values { used += [input.capture, input.gate.owner] }
        for map in maps { used.append(map) }
        resources.append(used)
        leaving = []
        leavingInputs = []
    }

    /// Lets go of what only replaced plans referred to.
    mutating func collect(from core: OpaquePointer) {
        let held = Int(rcore_collect_plans(core))
        if resources.count > max(1, held) { resources.removeFirst(resources.count - max(1, held)) }
    }

    // Returns the maps that the plan refers to.
    private func build(_ plan: OpaquePointer) throws(AudioEngineError) -> [ChannelMap] {
        for (slot, route) in usedRoutes.enumerated() {
            var description = rcore_route_description_t(
                slot: UInt32(slot), channels: UInt32(clamping: route.channels),
                first_output: UInt32(clamping: route.firstChannel), capture: slot == 0 ? capture?.fifo.handle : nil)
            try check(rcore_plan_add_route(plan, &description), "an output of \(route.channels) channels")
        }
        for (slot, input) in inputs.sorted(by: { $0.key < $1.key }) {
            var description = rcore_input_description_t(
                slot: UInt32(slot), channels: UInt32(clamping: input.description.channels),
                first_input: UInt32(clamping: input.description.firstChannel), gate: input.gate.page,
                capture: input.capture.handle)
            try check(
                rcore_plan_add_input(plan, &description), "an input of \(input.description.channels) channels")
        }
        var maps: [ChannelMap] = []
        for (slot, bus) in buses.sorted(by: { $0.key < $1.key }) {
            var description = rcore_bus_description_t(
                slot: UInt32(slot), channels: UInt32(outputChannels), parent: UInt32.max, gate: bus.gate.page,
                matrix: nil)
            try check(rcore_plan_add_bus(plan, &description), "bus \(slot)")
            maps += try connect(bus, slot: slot, plan)
        }
        return maps
    }

    // A map that was made for another number of channels, of a device that was there before, gives way to the usual one.
    private func connect(_ bus: Bus, slot: Int, _ plan: OpaquePointer) throws(AudioEngineError) -> [ChannelMap] {
        var maps: [ChannelMap] = []
        for (route, output) in usedRoutes.enumerated() {
            let own = bus.maps[route].flatMap { map in
                map.inputs == outputChannels && map.outputs == output.channels ? map : nil
            }
            let usual =
                own == nil && output.channels != outputChannels
                ? try ChannelMap.standard(from: outputChannels, to: output.channels) : nil
            let map = own ?? usual
            try check(
                rcore_plan_connect(plan, UInt32(slot), UInt32(route), map?.handle), "bus \(slot) to route \(route)")
            if let map { maps.append(map) }
        }
        return maps
    }

    private func check(_ status: rcore_status_t, _ what: String) throws(AudioEngineError) {
        guard status == RCORE_OK else { throw AudioEngineError(status, what) }
    }
}
