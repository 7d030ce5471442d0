internal import CRenderCore

/// The topology as control knows it: session buses, the output route, a capture. Turned into plans for the core.
struct EnginePlan {
    /// One session bus.
    struct Bus {
        var gate: OpaquePointer
        /// Keeps the gate's page alive while any plan refers to it.
        var owner: any AnyObject & Sendable
    }
    var buses: [Int: Bus] = [:]
    /// Slots that are given up while the core may still have them: not to be taken before a plan without them is posted.
    private var leaving: Set<Int> = []
    var outputChannels = 2
    var capture: Capture?

    /// What posted plans refer to, newest last.
    private var resources: [[any AnyObject & Sendable]] = []

    /// The lowest free slot below `limit`.
    func freeSlot(limit: Int) -> Int? { (0..<limit).first { buses[$0] == nil && !leaving.contains($0) } }

    /// Gives a slot up, from the next plan on.
    mutating func removeBus(slot: Int) {
        buses[slot] = nil
        leaving.insert(slot)
    }

    /// Posts the topology as it stands. On failure nothing changed for the core.
    mutating func post(to port: OpaquePointer) throws(AudioEngineError) {
        guard let plan = rcore_plan_create() else { throw .outOfMemory(what: "a plan") }
        do throws(AudioEngineError) {
            try build(plan)
            try check(rcore_post_plan(port, plan, 0), "a plan of \(buses.count) buses")
        } catch {
            rcore_plan_destroy(plan)
            throw error
        }
        var used: [any AnyObject & Sendable] = buses.values.map { $0.owner }
        if let capture { used.append(capture) }
        resources.append(used)
        leaving = []
    }

    /// Lets go of what only replaced plans referred to.
    mutating func collect(from core: OpaquePointer) {
        let held = Int(rcore_collect_plans(core))
        if resources.count > max(1, held) { resources.removeFirst(resources.count - max(1, held)) }
    }

    private func build(_ plan: OpaquePointer) throws(AudioEngineError) {
        var route = rcore_route_description_t(
            slot: 0, channels: UInt32(outputChannels), first_output: 0, capture: capture?.fifo.handle)
        try check(rcore_plan_add_route(plan, &route), "an output of \(outputChannels) channels")
        for (slot, bus) in buses.sorted(by: { $0.key < $1.key }) {
            var description = rcore_bus_description_t(
                slot: UInt32(slot), channels: UInt32(outputChannels), parent: UInt32.max, gate: bus.gate,
                matrix: nil)
            try check(rcore_plan_add_bus(plan, &description), "bus \(slot)")
            try check(rcore_plan_connect(plan, UInt32(slot), 0, nil), "bus \(slot) to the output")
        }
    }

    private func check(_ status: rcore_status_t, _ what: String) throws(AudioEngineError) {
        guard status == RCORE_OK else { throw AudioEngineError(status, what) }
    }
}
