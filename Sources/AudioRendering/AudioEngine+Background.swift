internal import CRenderCore
internal import Platform

/// The engine's background work, and reclaiming ended voices.
extension AudioEngine {
    /// Has schedulers post commands, and does the rest of the background work. Runs on the
    /// background queue when the core has work, and between the cycles of a driver without a clock.
    func runBackgroundWork() {
        advanceTransport()
        finishBackgroundWork()
    }

    /// Delivers received MIDI messages, fills streams, writes the captured output to disk, measures
    /// loudness, and delivers events. Also runs on the thread that stops or closes the engine,
    /// which calls no scheduler: that could wait for a lock that the thread holds.
    func finishBackgroundWork() {
        deliverMIDI()
        fillStreams(waits: !driver.hasClock)
        let (recorder, meters) = control.withState { state in
            control.updateOutdatedSpeeds(&state)
            // The core may still write to a recorder that has ended, until a plan without it takes
            // effect.
            return (state.plan.outputRecorder ?? state.endedRecorder, state.plan.loudnessMeters)
        }
        if let failure = recorder?.drain() { control.observers.send(.captureFailed(failure)) }
        for meter in meters { meter.drainLoudness() }
        drainEvents()
    }

    /// Waits until the background queue has delivered the events that it has found so far; for
    /// drivers without a clock. Must not be called from an event handler.
    package func drain() { control.background.drain() }

    /// Does what the next cycle of a driver needs that freewheels: its cycles wait for nothing
    /// else, and soon fill what the background queue empties.
    func fillForCycle() {
        advanceTransport()
        fillStreams(waits: true)
        guard let failure = control.withState({ $0.plan.outputRecorder })?.drain() else { return }
        control.background.run { [observers = control.observers] in observers.send(.captureFailed(failure)) }
    }

    /// Fills streams, and reads pages. `waits`: the next cycle waits for all of them; otherwise,
    /// other work comes between many pages.
    private func fillStreams(waits: Bool) {
        let streams = voices.withLock { voices in
            voices.started.values.compactMap { voice in
                if case .stream(let stream) = voice.source { stream } else { nil }
            }
        }
        // A part of each before all of one: when many start together, none is late.
        for stream in streams { stream.fill(share: 0.25) }
        let hasMorePages = pages.load(most: waits ? .max : 32)
        for stream in streams { stream.fill() }
        if hasMorePages { rcore_wake(control.core.handle) }
    }

    /// Reclaims ended voices, reads the core's events, and delivers everything outside the locks.
    private func drainEvents() {
        var gateEvents: [EngineEvent] = []
        reap()
        let (ended, sessions) = voices.withLock { voices in
            defer { (voices.ended, voices.endedSessions) = ([], [:]) }
            return (voices.ended, voices.endedSessions.values)
        }
        control.withState { state in
            var event = rcore_event_t()
            while rcore_next_event(control.core.handle, &event) { gateEvents += EngineEvent(event).map { [$0] } ?? [] }
            state.plan.collect(from: control.core.handle)
            state.midi.collect(from: control.core.handle)
            _ = rcore_collect_tempo_maps(control.core.handle)
        }
        control.releaseInserts()
        for event in gateEvents { control.observers.send(event) }
        for voice in ended { voice.onEnd?(voice) }
        for slot in control.silentSlots(of: sessions) { control.observers.send(.busEnded(bus: slot)) }
        for slot in control.takeSignalChanges() { control.observers.send(.signalChanged(bus: slot)) }
    }

    /// Reclaims ended voices and sounds, to free voices and slots. The background queue reports the
    /// ends, whether or not the engine renders.
    func reclaim() {
        if reap() { control.background.run { [weak self] in self?.runBackgroundWork() } }
    }

    /// Reclaims ended voices and sounds. When it returns, their buses and their voices in the pool
    /// are free, whichever thread reclaimed them; their ends are reported later. It reads the
    /// voices' states, not events, and so finds ends whose events were dropped. Returns whether
    /// there is anything to report.
    @discardableResult
    private func reap() -> Bool {
        let (ended, unused) = voices.withLock { voices in
            let unused = retired.takeUnused()
            let ended: [Voice] = control.takeEndedVoices().compactMap { handle, session in
                voices.endedSessions[ObjectIdentifier(session)] = session
                let voice = voices.started.removeValue(forKey: handle)
                voice?.end(in: control.core)
                rcore_voice_release(control.core.handle, handle)
                if let voice, voice.onEnd != nil { voices.ended.append(voice) }
                return voice
            }
            return (ended, unused)
        }
        // Voices and sounds are released under no lock: their sources may belong to the app, close
        // files, or be inputs, which take the control lock.
        withExtendedLifetime(unused) {}
        return !ended.isEmpty
    }
}

extension EngineEvent {
    /// Converts gate events. Returns nil for others: the engine derives those from states.
    fileprivate init?(_ event: rcore_event_t) {
        let bus = Int(event.bus)
        let serial = UInt32(truncatingIfNeeded: event.value)
        switch rcore_event_kind_t(rawValue: event.kind) {
        case RCORE_EVENT_GATE_APPLIED: self = .gateApplied(bus: bus, serial: serial, frame: event.frame)
        case RCORE_EVENT_GATE_SETTLED: self = .gateSettled(bus: bus, serial: serial, frame: event.frame)
        default: return nil
        }
    }
}
