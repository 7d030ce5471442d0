public import AudioRendering
public import AudioSessions
internal import Dispatch
internal import Platform

/// Uses the nodes of other apps: generators, effects and instruments (keeps PLAY-6).
///
/// <!-- Tests/Integration/JackDriverTests/InterAppPageTests.swift#host;
/// Scripts/check examples compares them -->
/// ```swift
/// let host = try AudioHost(session: session)
/// guard let effect = host.nodes.first(where: { $0.name == "Half" }) else { return }
/// let hosted = try host.connect(effect)
/// if let send = hosted.send { try session.engine.play(.buffer(sound), on: send) }
/// ```
///
/// The host's session must be active and mixable; while it is not, its nodes are silent.
///
/// What the host sends to a node, sound or notes, returns in the same cycle. A client of an audio
/// server is called once in each cycle, so what nodes return is played by a second client, whose
/// engine is `returnEngine`: to the outputs of the session's route, and under the session's grants.
/// A node to which the host sends nothing can be received by the app's own engine instead, on any
/// bus of its mixer (`connect(_:on:)`).
///
/// A node that leaves, or whose program hangs, is silent, and the host is notified; the host's own
/// sound continues. When the node is back, it is connected as before. Every method is safe from any
/// thread, but not from the render thread. Calls may wait for the server.
public final class AudioHost: Sendable {
    /// A change of the nodes.
    public enum Event: Sendable {
        /// The nodes that other apps publish changed to these.
        case nodesChanged([NodeDescription])
        /// The state of a node that the host uses changed.
        case stateChanged(HostedNode, HostedNode.State)
    }

    /// The session whose sound and route the host uses.
    public let session: AudioSession
    private let engine: AudioEngine
    private let stallGuard: StallGuard
    private let state = Mutex(Values())
    private let events = Broadcaster<Event>()
    private let observation = Mutex<EngineObservation?>(nil)
    /// Delivers events, whose handlers may wait for `queue`.
    private let eventQueue = DispatchQueue(label: "audio-host.events", qos: .userInitiated)
    /// Serializes connecting, and the work of the timer.
    private let queue = DispatchQueue(label: "audio-host", qos: .userInitiated)

    private struct WeakNode { weak var node: HostedNode? }
    private struct Values {
        var hosted: [WeakNode] = []
        var stage: ReturnStage?
        var timer: (any DispatchSourceTimer)?
    }

    /// How many nodes of a name this process has used: the names of their ports are unique.
    private static let uses = Mutex<[String: Int]>([:])

    /// How often the host compares the session's state and route with those that it has applied, in
    /// milliseconds. An interruption silences all nodes at once, by the session's grant.
    private static let interval = 200

    /// Creates a host. Connects to the server if necessary. Throws the error for which the session
    /// has no engine, or `DriverError`.
    public init(session: AudioSession) throws {
        self.session = session
        engine = try session.engine
        stallGuard = .of(engine)
        try engine.open()
        observation.withLock { observation in
            observation = engine.observe { [weak self] event in
                guard case .driver(let event) = event else { return }
                switch event {
                case .nodesChanged(let nodes): self?.handle(nodes)
                case .serverLost, .serverGone: self?.handle([])
                default: break
                }
            }
        }
        engine.driver.watchNodes()
    }

    deinit {
        let (hosted, timer) = state.withLock { ($0.hosted.compactMap(\.node), $0.timer) }
        timer?.cancel()
        for node in hosted { node.disconnect() }
    }

    /// The nodes that other apps publish at this moment, also those that the host uses; empty while
    /// the server is lost.
    public var nodes: [NodeDescription] { engine.driver.nodes ?? [] }

    /// The nodes that the host uses.
    public var hostedNodes: [HostedNode] {
        state.withLock { $0.hosted.compactMap(\.node) }.filter { $0.currentState != .disconnected }
    }

    /// The engine that plays what nodes return, for its meters and limiters; nil before the first
    /// `connect` without a bus.
    public var returnEngine: AudioEngine? { state.withLock { $0.stage?.engine } }

    /// Calls `handler` for every event until the returned observation is released, on a thread of
    /// the host, one event at a time. The handler may connect and disconnect nodes.
    public func observe(_ handler: @escaping @Sendable (Event) -> Void) -> AudioHostObservation {
        AudioHostObservation(onCancel: events.add(handler))
    }

    /// Uses a node of `nodes`: plays its sound through `returnEngine`, on a bus of its own. The
    /// host can send sound to an effect, and notes and remote commands to every node that receives
    /// MIDI.
    ///
    /// Throws `AudioSessionError`: sessionNotActive or incompatibleCategory if the session is not
    /// active or not mixable (PLAY-6), resourceNotAvailable if the node has left; `DriverError` or
    /// `AudioEngineError` if the server or the engine has no ports, inputs or buses left. Nothing
    /// is connected then.
    public func connect(_ node: NodeDescription) throws -> HostedNode { try connect(node, to: nil) }

    /// Uses a generator of `nodes`, or an instrument that others play: plays its sound on `bus`, a
    /// bus of the session in the app's own engine. The host sends nothing to the node: its sound
    /// would return a period late. So it does if the host sends to another node of the same app, or
    /// to this one by the other method. Throws as the other method does, and badParam for an
    /// effect.
    public func connect(_ node: NodeDescription, on bus: any AudioBus) throws -> HostedNode {
        guard node.kind != .effect else {
            throw AudioSessionError(
                .badParam, rule: "PLAY-6",
                """
                Effect '\(node.name)' was to play on a bus of the app's engine, which sends to it; its sound would \
                return a period late. Connect it without a bus.
                """)
        }
        return try connect(node, to: bus)
    }

    private func connect(_ node: NodeDescription, to bus: (any AudioBus)?) throws -> HostedNode {
        if let bus, !session.has(bus) {
            throw AudioSessionError(
                .badParam, rule: "PLAY-6",
                "Node '\(node.name)' was to play on a bus of another session. Name one of the host's session.")
        }
        try session.request {
            guard session.isActive else {
                throw AudioSessionError(
                    .sessionNotActive, rule: "PLAY-6",
                    "The session was to host node '\(node.name)', but it is not active. Activate it first.")
            }
            guard session.mayHostNodes else {
                throw AudioSessionError(
                    .incompatibleCategory, rule: "PLAY-6",
                    """
                    The session was to host node '\(node.name)', but it is not mixable. Use category ambient or option \
                    mixWithOthers.
                    """)
            }
        }
        return try queue.sync {
            guard let found = nodes.first(where: { $0.isSame(as: node) }) else {
                throw AudioSessionError(
                    .resourceNotAvailable, rule: "PLAY-6",
                    "Node '\(node.name)' of '\(node.client)' was to be connected, but it is not there any longer.")
            }
            let hosted = try HostedNode(
                found, named: name(for: found), of: session,
                playing: try bus.map { .onBus($0, stallGuard) } ?? .onStage(stage())
            ) { [weak self] hosted, state in self?.send(.stateChanged(hosted, state)) }
            do {
                try hosted.connect()
            } catch {
                hosted.end()
                throw error
            }
            state.withLock { $0.hosted = $0.hosted.filter { $0.node != nil } + [WeakNode(node: hosted)] }
            startTimer()
            update()
            return hosted
        }
    }

    /// Returns a name for the ports of a node that no other one has had.
    private func name(for node: NodeDescription) -> String {
        let name = String(node.name.filter { !$0.utf8.contains(UInt8(ascii: ":")) }.prefix(24))
        let number = Self.uses.withLock { uses in
            uses[name, default: 0] += 1
            return uses[name, default: 1]
        }
        return number == 1 ? name : "\(name) #\(number)"
    }

    /// Returns the stage for returns; opens it for the first node. [queue]
    private func stage() throws -> ReturnStage {
        let stage = try state.withLock({ $0.stage }) ?? ReturnStage(for: session)
        try stage.engine.start()
        state.withLock { $0.stage = stage }
        return stage
    }

    private func send(_ event: Event) { eventQueue.async { [events] in events.send(event) } }

    private func startTimer() {
        state.withLock { state in
            guard state.timer == nil else { return }
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(
                deadline: .now(), repeating: .milliseconds(Self.interval), leeway: .milliseconds(Self.interval / 4))
            timer.setEventHandler { [weak self] in self?.update() }
            state.timer = timer
            timer.resume()
        }
    }

    /// Applies the session's state and route. Ends the timer when no node is used any longer.
    /// [queue]
    private func update() {
        let hosted = hostedNodes
        guard !hosted.isEmpty else {
            state.withLock { $0.timer.take() }?.cancel()
            state.withLock { $0.stage }?.engine.suspend()
            return
        }
        let mayHost = session.mayHostNodes
        if let stage = state.withLock({ $0.stage }) {
            // It is called as long as the app's engine is.
            if !engine.isSuspended {
                if !stage.engine.driver.isRendering { try? stage.engine.start() }
                stage.applyRoute()
            } else if !stage.engine.isSuspended {
                stage.engine.suspend()
            }
        }
        for node in hosted {
            node.reconnectIfOutdated()
            node.setMayPlay(mayHost)
        }
    }

    /// Handles another list of nodes: not on the driver's thread, because nodes that returned may
    /// have to be connected.
    private func handle(_ nodes: [NodeDescription]) {
        queue.async { [weak self] in
            guard let self else { return }
            for hosted in hostedNodes { hosted.setFound(nodes.first { $0.isSame(as: hosted.node) }) }
            send(.nodesChanged(nodes))
        }
    }
}

/// A registered observer of a host; releasing it, or calling `cancel`, ends the observation.
public final class AudioHostObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Ends the observation. A call that is in progress may still finish.
    public func cancel() { onCancel() }
}

extension NodeDescription {
    /// Whether this is the same node, perhaps after its app was started again.
    func isSame(as other: NodeDescription) -> Bool {
        (client, name, kind) == (other.client, other.name, other.kind)
    }
}
