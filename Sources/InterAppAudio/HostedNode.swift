public import AudioRendering
internal import AudioSessions
public import AudioSessionTypes
internal import Platform

/// A node that a host uses (keeps PLAY-6): what it sends, and what the host sends to it.
///
/// The connections exist until `disconnect`, or until the last reference is released. If the node
/// leaves, its sound ends; when it returns under the same name, its connections are restored.
public final class HostedNode: Sendable {
    /// Whether the node is heard.
    public enum State: String, Hashable, Sendable {
        /// The node is connected.
        case connected
        /// The host's session is not active, or not mixable: the node is silent until it is again.
        case suspended
        /// The node's program does not respond to the audio server. Its connections to the host are
        /// removed, so that the host's own sound continues, and restored when it responds again.
        case hung
        /// The node has left, because its app ended or withdrew it, or the server was lost. It is
        /// connected again when it returns.
        case gone
        /// `disconnect` was called, or the host was released.
        case disconnected
    }

    /// The node as it was published.
    public let node: NodeDescription
    /// For an effect: a bus of the session in the app's engine whose sound goes to the node, and to
    /// no device. Voices, players and a mixer can play on it. nil for other nodes.
    public let send: SessionBus?
    /// The bus on which the host plays the node's sound: the one that was passed to `connect`, or a
    /// bus of `AudioHost.returnEngine` that plays to the session's route.
    public let bus: any AudioBus
    /// Sends notes to the node, on exact frames of the app's engine; obeys the session's
    /// interruptions (`MIDIOutput`). nil if the node receives no MIDI, if a bus was passed to
    /// `connect`, and once the node is disconnected.
    public var midi: MIDIOutput? { state.withLock { $0.ports?.midi } }

    private let voice: Voice
    private let returnName: String
    private let stallGuard: StallGuard
    private let engine: AudioEngine
    private let stage: ReturnStage?
    private let state: Mutex<Values>
    /// Held while a change of the state is applied and reported: the last change is the last to be
    /// applied.
    private let application = Mutex(())
    private let changed: @Sendable (HostedNode, State) -> Void

    /// Where a node's sound is played.
    enum Place {
        /// On a bus of the app's engine, which has this guard.
        case onBus(any AudioBus, StallGuard)
        /// On a bus of the stage for returns.
        case onStage(ReturnStage)
    }
    /// The ports and what receives from them.
    private struct Ports {
        var returns: AudioPorts
        var sends: AudioPorts?
        var input: EngineInput
        var midi: MIDIOutput?
    }
    private struct Values {
        /// The node as it was published last.
        var found: NodeDescription
        /// Whether its ports have to be connected.
        var isOutdated = false
        /// nil once the node is disconnected.
        var ports: Ports?
        var state = State.connected
        var gain: Float = 1
        var mayPlay = true
        var isPresent = true
        var isHung = false
        var isEnded = false
        /// The last command was `play`.
        var plays = false

        var current: State {
            if isEnded { return .disconnected }
            if !isPresent { return .gone }
            if isHung { return .hung }
            return mayPlay ? .connected : .suspended
        }
    }

    /// Makes the ports of a node, its bus and the voice that plays it, silent and not connected.
    init(
        _ node: NodeDescription, named name: String, of session: AudioSession, playing place: Place,
        changed: @escaping @Sendable (HostedNode, State) -> Void
    ) throws {
        let main = try session.engine
        switch place {
        case .onBus(_, let stallGuard): (engine, stage, self.stallGuard) = (main, nil, stallGuard)
        case .onStage(let stage): (engine, self.stage, stallGuard) = (stage.engine, stage, stage.stallGuard)
        }
        returnName = "\(name) return"
        let returns = try engine.makePorts(
            name: returnName, direction: .input, channels: min(node.outputs.count, engine.configuration.maximumChannels)
        )
        let input = try engine.makeInput(from: returns)
        var midi: MIDIOutput?
        let sends: AudioPorts?
        if node.kind == .effect {
            let channels = min(node.inputs.count, main.configuration.maximumChannels)
            let ports = try main.makePorts(name: "\(name) send", direction: .output, channels: channels)
            (sends, send) = (ports, try session.makeBus(for: ports))
        } else {
            (sends, send) = (nil, nil)
        }
        switch place {
        case .onBus(let bus, _): self.bus = bus
        case .onStage(let stage):
            bus = try stage.makeBus()
            midi = try node.midiInput.map { _ in try main.makeMIDIOutput(name: "\(name) midi", on: session.bus) }
        }
        voice = try engine.play(.input(input), on: bus, gain: 0)
        self.node = node
        state = Mutex(Values(found: node, ports: Ports(returns: returns, sends: sends, input: input, midi: midi)))
        self.changed = changed
    }

    deinit { end() }

    /// Connects the ports, and fades the node in.
    func connect() throws {
        try makeConnections()
        stallGuard.add(returnName) { [weak self, client = node.client] hung, isHung in
            // Other programs may be connected to the same ports.
            if hung == client { self?.update { $0.isHung = isHung } }
        }
        application.withLock { _ in applyGain() }
    }

    private func makeConnections() throws(DriverError) {
        let (node, ports) = state.withLock { ($0.found, $0.ports) }
        try ports?.midi?.connect(toPorts: node.midiInput.map { [$0] } ?? [])
        try ports?.sends?.connect(to: node.inputs)
        try ports?.returns.connect(to: node.outputs)
    }

    /// Whether the node is heard, and if not, why. `AudioHost.observe` reports changes.
    public var currentState: State { state.withLock { $0.state } }

    /// The gain of the node's sound: linear, finite; 1 initially. Ramps to a new value in 5 ms.
    public var gain: Float {
        get { state.withLock { $0.gain } }
        set {
            guard newValue.isFinite else { return }
            application.withLock { _ in
                state.withLock { $0.gain = newValue }
                applyGain()
            }
        }
    }

    /// Sends a remote command to the node, by MIDI Machine Control: play, pause, togglePlayPause,
    /// stop or seek. `time` is an engine frame; nil: the next period. Throws `AudioSessionError`
    /// badParam for other commands, resourceNotAvailable if the node receives no MIDI, or
    /// `AudioEngineError`.
    public func send(_ command: RemoteCommand, at time: UInt64? = nil) throws {
        guard let midi else {
            throw AudioSessionError(
                .resourceNotAvailable, rule: "PLAY-6",
                """
                The command '\(command.kind.rawValue)' was sent to node '\(node.name)', which receives no MIDI from this \
                host. A node receives it if it has a MIDI input and is connected without a bus.
                """)
        }
        let plays = state.withLock { $0.plays }
        let sent = command == .togglePlayPause ? (plays ? .pause : .play) : command
        guard let message = MachineControl.message(of: sent) else {
            throw AudioSessionError(
                .badParam, rule: "PLAY-6",
                """
                The command '\(command.kind.rawValue)' was sent to node '\(node.name)'; nodes receive play, pause, \
                togglePlayPause, stop and seek to a time from 0 to 24 hours.
                """)
        }
        try midi.send(message, at: time)
        state.withLock { state in
            switch sent {
            case .play: state.plays = true
            case .pause, .stop: state.plays = false
            default: break
            }
        }
    }

    /// Ends the use of the node: fades it out in 5 ms, then removes its connections and ports. Does
    /// not wait. Idempotent.
    public func disconnect() {
        end()
        update { _ in }
    }

    /// Ends the use without a report.
    func end() {
        let ports = state.withLock { state -> Ports? in
            state.isEnded = true
            return state.ports.take()
        }
        guard ports != nil else { return }
        stallGuard.remove(returnName)
        // The channels of the ports may soon belong to other ones.
        try? send?.setOutputs([])
        try? ports?.midi?.silence()
        // The voice keeps the input, and with it the ports, until it has faded out.
        try? voice.stop(fadeFrames: fadeFrames)
    }

    // MARK: What the host reports

    /// Sets whether the session may host nodes.
    func setMayPlay(_ mayPlay: Bool) { update { $0.mayPlay = mayPlay } }

    /// Sets the node as it is published now; nil: it is not. Connects a node that has returned, or
    /// that has other ports than before: do not call it on the driver's thread.
    func setFound(_ found: NodeDescription?) {
        state.withLock { state in
            guard let found else { return }
            state.isOutdated = state.isOutdated || !state.isPresent || state.found != found
            state.found = found
        }
        reconnectIfOutdated()
        update { $0.isPresent = found != nil }
    }

    /// Connects the ports, if that is due; if it fails, the next call tries again.
    func reconnectIfOutdated() {
        let isDue = state.withLock { state in
            defer { state.isOutdated = false }
            return state.isOutdated
        }
        guard isDue, (try? makeConnections()) == nil else { return }
        state.withLock { $0.isOutdated = true }
    }

    /// Changes the values, applies them, and reports another state.
    private func update(_ change: (inout Values) -> Void) {
        application.withLock { _ in
            let next = state.withLock { values -> State? in
                change(&values)
                guard values.current != values.state else { return nil }
                values.state = values.current
                return values.state
            }
            guard let next else { return }
            if next != .disconnected { applyGain() }
            changed(self, next)
        }
    }

    private func applyGain() {
        let gain = state.withLock { $0.state == .connected ? $0.gain : 0 }
        try? voice.setGain(gain, rampFrames: fadeFrames)
    }

    private var fadeFrames: Int { (engine.format?.sampleRate ?? 48_000) / 200 }
}
