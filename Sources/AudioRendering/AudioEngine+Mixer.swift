internal import CRenderCore

/// Desks: graphs of buses under the session buses, and what is set on them.
extension AudioEngine {
    /// The bus of that name on any session's desk. Throws `noSuchBus`, or `ambiguousBus` where several sessions have one.
    public func bus(_ name: String) throws(AudioEngineError) -> MixerBus {
        // Let go of outside the lock: with a session's bus its slot goes, which takes the lock.
        let sessions = control.withLock { control in
            control.plan.buses.sorted { $0.key < $1.key }.compactMap { _, bus in bus.session.map { ($0, bus.desk) } }
        }
        let found = sessions.compactMap { session, desk in
            desk.strips[name].map { MixerBus(session: session, identity: $0.identity) }
        }
        guard let bus = found.first else {
            throw .noSuchBus(name: name, among: sessions.flatMap { $1.graph.buses.map(\.name) })
        }
        guard found.count == 1 else { throw .ambiguousBus(name: name, sessions: found.count) }
        return bus
    }

    func graph(of session: SessionBus) -> BusGraph {
        control.withLock { $0.plan.buses[session.slot]?.desk.graph ?? BusGraph() }
    }

    func identity(ofBus name: String, in session: SessionBus) throws(AudioEngineError) -> BusIdentity {
        let desk = control.withLock { $0.plan.buses[session.slot]?.desk }
        guard let identity = desk?.strips[name]?.identity else {
            throw .noSuchBus(name: name, among: desk?.graph.buses.map(\.name) ?? [])
        }
        return identity
    }

    func setGraph(_ graph: BusGraph, of session: SessionBus) throws(AudioEngineError) {
        for bus in graph.buses where bus.insert.map({ !$0.claim(for: self) }) ?? false {
            throw .badGraph(
                reason: "The insert of bus '\(bus.name)' belongs to another engine; make another one for this engine.")
        }
        reclaim()
        var removed: [BusIdentity] = []
        try changePlan { plan throws(AudioEngineError) in
            removed = try plan.setGraph(graph, ofBus: session.slot, configuration: configuration)
            try plan.checkInserts()
        } with: { port in
            // What is taken away falls silent within the cross-fade.
            let fade = rcore_config_default().swap_frames
            return removed.map { rcore_post_stop_all(port, UInt32($0.slot), fade, 0) }.first { $0 != RCORE_OK }
                ?? RCORE_OK
        }
        letGoOfInserts()
    }

    /// Lets go of inserts of which nothing is heard any more.
    func letGoOfInserts() {
        _ = control.withLock { control in
            defer { control.plan.released = [] }
            return control.plan.released
        }
    }

    // MARK: Buses

    func strip(of bus: any AudioBus) -> EnginePlan.Strip? { control.withLock { $0.plan[bus] } }

    /// Of a desk's bus that is there.
    func description(of bus: any AudioBus) -> BusGraph.Bus? {
        control.withLock { control in
            guard control.plan[bus] != nil else { return nil }
            return bus.identity.name.flatMap { control.plan.buses[bus.session.slot]?.desk.graph[$0] }
        }
    }

    func channels(of bus: any AudioBus) -> Int { control.withLock { $0.plan.channels(of: bus) } }

    func latencyFrames(of bus: any AudioBus) -> Int {
        control.withLock { control in control.plan[bus] == nil ? 0 : control.plan.latencies[bus.slot] ?? 0 }
    }

    /// Posts a command to a bus that is there, and notes what it sets.
    func set(
        _ bus: any AudioBus, _ what: @autoclosure () -> String, _ note: (inout EnginePlan.Strip) -> Void,
        _ post: (OpaquePointer, UInt32) -> rcore_status_t
    ) throws(AudioEngineError) {
        try control.withLock { control throws(AudioEngineError) in
            guard var strip = control.plan[bus] else { throw bus.removed }
            let status = post(core.port, UInt32(bus.slot))
            guard status == RCORE_OK else { throw AudioEngineError(status, what()) }
            note(&strip)
            control.plan[bus] = strip
            settle(&control)
        }
    }

    func stopAll(on bus: any AudioBus, fadeFrames: Int, at time: UInt64?) throws(AudioEngineError) {
        try control.withLock { control throws(AudioEngineError) in
            guard control.plan[bus] != nil else { throw bus.removed }
            let slots = control.plan.slots(upTo: bus).sorted()
            try group { port in
                for slot in slots {
                    let status = rcore_post_stop_all(port, UInt32(slot), UInt32(clamping: fadeFrames), time ?? 0)
                    if status != RCORE_OK { return status }
                }
                return RCORE_OK
            }
            settle(&control)
        }
    }

    func hasPlayingVoices(on bus: any AudioBus) -> Bool {
        control.withLock { control in
            let slots = control.plan.slots(upTo: bus)
            return control.voices.values.contains { voice in
                guard voice.session === bus.session.identity,
                    bus.identity.name == nil || slots.contains(voice.slot)
                else { return false }
                let state = rcore_voice_state(core.handle, voice.handle)
                return state == RCORE_VOICE_WAITING || state == RCORE_VOICE_PLAYING
            }
        }
    }

    // MARK: Sends

    func send(from bus: MixerBus, to target: String) throws(AudioEngineError) -> SendIdentity {
        try control.withLock { control throws(AudioEngineError) in
            guard control.plan[bus] != nil, let desk = control.plan.buses[bus.session.slot]?.desk else {
                throw bus.removed
            }
            guard let line = desk.lines[BusGraph.Send.Ends(source: bus.name, target: target)] else {
                throw Self.noSend(from: bus, to: target, desk)
            }
            return line.identity
        }
    }

    func level(of send: SendIdentity, from bus: MixerBus, to target: String) -> Float? {
        let line = control.withLock { control in
            control.plan.buses[bus.session.slot]?.desk.lines[BusGraph.Send.Ends(source: bus.name, target: target)]
        }
        return line?.identity === send ? line?.level : nil
    }

    func setLevel(
        _ level: Float, of send: SendIdentity, from bus: MixerBus, to target: String, _ what: String,
        _ post: (OpaquePointer) -> rcore_status_t
    ) throws(AudioEngineError) {
        let ends = BusGraph.Send.Ends(source: bus.name, target: target)
        try control.withLock { control throws(AudioEngineError) in
            guard let desk = control.plan.buses[bus.session.slot]?.desk, desk.lines[ends]?.identity === send else {
                throw Self.noSend(from: bus, to: target, control.plan.buses[bus.session.slot]?.desk)
            }
            let status = post(core.port)
            guard status == RCORE_OK else {
                throw AudioEngineError(status, "\(what) of the send from '\(bus.name)' to '\(target)'")
            }
            control.plan.buses[bus.session.slot]?.desk.lines[ends]?.level = level
            settle(&control)
        }
    }

    private static func noSend(from bus: MixerBus, to target: String, _ desk: EnginePlan.Desk?) -> AudioEngineError {
        let targets = desk?.graph.sends.filter { $0.source == bus.name }.map(\.target) ?? []
        return .noSuchSend(from: bus.name, to: target, among: targets)
    }
}

extension AudioBus {
    /// What is asked of a bus that is not there.
    var removed: AudioEngineError { identity.name.map { .busRemoved(name: $0) } ?? .engineGone }
}

extension EnginePlan {
    /// One insert, one bus, of all sessions.
    fileprivate func checkInserts() throws(AudioEngineError) {
        var seen: [UnsafeMutableRawPointer: String] = [:]
        for bus in buses.sorted(by: { $0.key < $1.key }).flatMap(\.value.desk.order) {
            guard let insert = bus.insert else { continue }
            if let other = seen.updateValue(bus.name, forKey: insert.context) {
                throw .badGraph(
                    reason: """
                        Buses '\(other)' and '\(bus.name)' of two sessions have the same insert, or two with one context; an insert has a state and \
                        belongs to one bus: make one for each.
                        """)
            }
        }
    }
}
