internal import CRenderCore

/// Routes and inputs: where session buses lead, and what they hear.
extension AudioEngine {
    /// The outputs that all session buses lead to.
    public var routes: [OutputRoute] { control.withLock { $0.plan.usedRoutes } }

    /// Leads all session buses to these outputs at once, each by the usual channel map or its own (`SessionBus.setMap`); nil is one
    /// over all channels of the device. What is heard cross-fades from the old routes to the new. Buses have the channels of the
    /// first route. Throws `invalidArgument` for none, for too many, and for a channel below 0.
    public func setRoutes(_ routes: [OutputRoute]?) throws(AudioEngineError) {
        if let routes {
            let most = configuration.maximumChannels
            guard (1...configuration.maximumRoutes).contains(routes.count),
                routes.allSatisfy({ (1...most).contains($0.channels) && $0.firstChannel >= 0 })
            else {
                throw .invalidArgument(
                    what: "\(routes.count) routes: 1 to \(configuration.maximumRoutes), each of 1 to \(most) channels")
            }
        }
        try changePlan { $0.routes = routes }
    }

    func setMap(_ map: ChannelMap?, ofBus slot: Int, route: Int) throws(AudioEngineError) {
        let (buses, routes) = control.withLock { ($0.plan.outputChannels, $0.plan.usedRoutes) }
        guard routes.indices.contains(route),
            map.map({ $0.inputs == buses && $0.outputs == routes[route].channels }) ?? true
        else {
            throw .invalidArgument(
                what: "a channel map to route \(route) of \(routes.count): \(buses) channels in, the route's out")
        }
        try changePlan { $0.buses[slot]?.maps[route] = map }
    }

    /// Changes the plan and posts it; on failure all is as it was.
    private func changePlan(_ change: (inout EnginePlan) -> Void) throws(AudioEngineError) {
        try control.withLock { control throws(AudioEngineError) in
            let before = control.plan
            change(&control.plan)
            do throws(AudioEngineError) {
                try control.plan.post(to: core.port)
            } catch {
                control.plan = before
                throw error
            }
            settle(&control)
        }
    }

    // MARK: Inputs

    /// Listens to channels of the device's input for a session: silence until its permission is granted, nothing while it is interrupted.
    /// `captureFrames` is how much may wait to be read. Throws `noFreeInput`, `invalidArgument` or `outOfMemory`.
    public func makeInput(
        for bus: SessionBus, channels: Int = 1, firstChannel: Int = 0, captureFrames: Int = 65_536
    ) throws(AudioEngineError) -> EngineInput {
        guard bus.belongs(to: self), (1...configuration.maximumChannels).contains(channels), firstChannel >= 0 else {
            throw .invalidArgument(
                what: "an input of \(channels) channels from \(firstChannel), for a bus of this engine")
        }
        let capture = try InputCapture(channels: channels, frames: captureFrames)
        let limit = configuration.maximumInputs
        let slot = try control.withLock { control throws(AudioEngineError) in
            guard let slot = control.plan.freeInput(limit: limit) else { throw .noFreeInput(limit: limit) }
            guard let gate = control.plan.buses[bus.slot]?.gate else {
                throw .invalidArgument(what: "an input for a bus that is gone")
            }
            control.plan.inputs[slot] = EnginePlan.Input(
                description: EnginePlan.InputDescription(channels: channels, firstChannel: firstChannel),
                capture: capture, gate: gate)
            do throws(AudioEngineError) {
                try control.plan.post(to: core.port)
            } catch {
                control.plan.inputs[slot] = nil
                throw error
            }
            settle(&control)
            return slot
        }
        return EngineInput(channels: channels, slot: slot, capture: capture, engine: self)
    }

    func removeInput(slot: Int) {
        control.withLock { control in
            control.plan.removeInput(slot: slot)
            // Without room on the ring the old plan stays until the next one.
            try? control.plan.post(to: core.port)
            settle(&control)
        }
    }

    func inputPeak(slot: Int, channel: Int) -> Float {
        rcore_take_input_peak(core.handle, UInt32(slot), UInt32(clamping: channel))
    }
}
