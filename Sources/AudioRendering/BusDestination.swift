/// Where a session bus is to lead, and what its inputs are to listen to.
public struct BusDestination: Sendable {
    public var bus: SessionBus
    /// nil: where the engine's buses lead by themselves; none: nowhere.
    public var outputs: [OutputRoute]?
    /// Input channels of the driver; nil: all.
    public var inputs: Range<Int>?

    public init(bus: SessionBus, outputs: [OutputRoute]?, inputs: Range<Int>? = nil) {
        self.bus = bus
        self.outputs = outputs
        self.inputs = inputs
    }

    func differs(from plan: EnginePlan) -> Bool {
        guard let present = plan.buses[bus.slot] else { return false }
        return present.outputs != outputs || present.inputs != inputs
    }
}
