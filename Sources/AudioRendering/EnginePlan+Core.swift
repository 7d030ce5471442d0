internal import CRenderCore

/// Compiles plans for the core.
extension EnginePlan {
    /// Objects that were created for a plan and that it refers to.
    struct Parts {
        var maps: [ChannelMap] = []
        var inserts: [AudioInsert] = []
        var meters: [(AudioMeter, CoreMeter)] = []
        var limiters: [OutputRoute: CoreLimiter] = [:]

        /// Returns the core's meter for this channel count; nil without a meter.
        mutating func meter(_ meter: AudioMeter?, channels: Int, sampleRate: Int) throws(AudioEngineError)
            -> OpaquePointer?
        {
            guard let meter else { return nil }
            let core = try meter.fitting(channels: channels, sampleRate: sampleRate)
            meters.append((meter, core))
            return core.handle
        }
    }

    /// Adds the outputs, inputs, session buses and mixers to a C plan. `slots` are the slots of the
    /// outputs; `parts` collects the objects that the C plan refers to.
    func build(
        _ plan: OpaquePointer, _ slots: [OutputRoute: Int], _ parts: inout Parts
    ) throws(AudioEngineError) {
        let used = usedRoutes
        for route in used {
            var description = rcore_route_description_t()
            description.slot = UInt32(clamping: slots[route] ?? 0)
            description.channels = UInt32(clamping: route.channels)
            description.first_output = UInt32(clamping: route.firstChannel)
            description.capture = route == used.first ? outputRecorder?.fifo.handle : nil
            description.meter = try parts.meter(outputMeters[route], channels: route.channels, sampleRate: sampleRate)
            parts.limiters[route] = try limiter(of: route)?.fitting(channels: route.channels, sampleRate: sampleRate)
            description.limiter = parts.limiters[route]?.handle
            try check(rcore_plan_add_route(plan, &description), "an output of \(route.channels) channels")
        }
        for (slot, input) in inputs.sorted(by: { $0.key < $1.key }) {
            var description = input.coreDescription(slot: slot)
            try check(
                rcore_plan_add_input(plan, &description), "an input of \(input.description.channels) channels")
        }
        for (slot, bus) in buses.sorted(by: { $0.key < $1.key }) {
            let channels = channels(of: bus)
            var description = rcore_bus_description_t()
            description.slot = UInt32(slot)
            description.channels = UInt32(channels)
            description.parent = UInt32.max
            description.gate = bus.gate?.page
            description.keys = bus.gate?.keys
            description.meter = try parts.meter(bus.strip.meter, channels: channels, sampleRate: sampleRate)
            try check(rcore_plan_add_bus(plan, &description), "bus \(slot)")
            for (index, output) in outputs(of: bus).enumerated() {
                // The standard map replaces a map whose shape no longer fits, made for an earlier
                // device.
                let map = try parts.map(bus.maps[index], from: channels, to: output.channels)
                try check(
                    rcore_plan_connect(plan, UInt32(slot), UInt32(clamping: slots[output] ?? 0), map),
                    "bus \(slot) to output \(index)")
            }
            try build(bus.mixer, under: bus, slot: slot, plan, &parts)
        }
    }

    func check(_ status: rcore_status_t, _ what: String) throws(AudioEngineError) {
        guard status == RCORE_OK else { throw AudioEngineError(status, what) }
    }
}

extension EnginePlan.Input {
    /// Describes the input to the core. Channels that the source does not have are silent.
    fileprivate func coreDescription(slot: Int) -> rcore_input_description_t {
        let (channels, first) = (description.channels, description.firstChannel)
        let present = description.source.map { max(0, min(channels, $0.count - first)) } ?? channels
        return rcore_input_description_t(
            slot: UInt32(slot), channels: UInt32(clamping: channels),
            first_input: UInt32(clamping: (description.source?.lowerBound ?? 0) + first), gate: gate?.page,
            capture: capture.handle, missing: UInt32(clamping: channels - present), fades_out: description.isProgram)
    }
}
