/// The outputs and inputs to connect a session bus to.
public struct BusRouting: Sendable {
    /// The bus to route.
    public var bus: SessionBus
    /// The outputs of the bus. nil: the engine's shared outputs. Empty: none.
    public var outputs: [OutputRoute]?
    /// The driver's input channels for the session's inputs; nil: all.
    public var inputs: Range<Int>?

    public init(bus: SessionBus, outputs: [OutputRoute]?, inputs: Range<Int>? = nil) {
        self.bus = bus
        self.outputs = outputs
        self.inputs = inputs
    }

    func differs(from plan: EnginePlan) -> Bool {
        guard let current = plan.buses[bus.slot] else { return false }
        return current.outputs != outputs || current.inputs != inputs
    }
}
