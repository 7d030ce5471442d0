public import AudioRendering
public import AudioSessions
internal import Platform

/// An app, or a part of one, that other apps can use as a generator, an effect or an instrument
/// (keeps PLAY-6).
///
/// <!-- Tests/Integration/JackDriverTests/InterAppPageTests.swift#node;
/// Scripts/check examples compares them -->
/// ```swift
/// let node = try AudioNode(.init(kind: .effect, name: "Half"), on: app)
/// if let input = node.input { try node.engine.play(.input(input), on: node.bus, gain: 0.5) }
/// ```
///
/// What plays on `bus` goes to the host, within the cycle in which the host's sound arrives at
/// `input`. No session controls that: the node works without an active session, in the background,
/// and during interruptions. What the app plays to the device needs a session of its own.
///
/// The node is published until its last reference is released; then everything on its bus stops.
/// The engine runs all that time, also while no host is connected. When the audio server returns
/// after a loss, the node is published again and its connections are restored (SRV-2).
public final class AudioNode: Sendable {
    /// The properties of a node.
    public struct Configuration: Sendable {
        /// What the node does.
        public var kind: NodeDescription.Kind
        /// The name for users, unique within the app: 1…40 bytes, without a colon.
        public var name: String
        /// The icon, a PNG file of at most 32 KiB; empty: none. Hosts see it with PipeWire.
        public var icon: [UInt8]
        /// The number of channels that an effect receives; other nodes ignore it.
        public var inputChannels: Int
        /// The number of channels that the node sends, 1…8.
        public var outputChannels: Int

        public init(
            kind: NodeDescription.Kind, name: String, icon: [UInt8] = [], inputChannels: Int = 2,
            outputChannels: Int = 2
        ) {
            self.kind = kind
            self.name = name
            self.icon = icon
            self.inputChannels = inputChannels
            self.outputChannels = outputChannels
        }
    }

    /// The engine that renders the node.
    public let engine: AudioEngine
    /// The bus whose sound goes to the host.
    public let bus: SessionBus
    /// What the host sends to an effect; nil for other nodes. Play it with `VoiceSource.input`.
    public let input: EngineInput?
    /// The notes that the host sends to an instrument, and its remote commands; also of other
    /// nodes, which receive only commands. Connect it to an `AudioInstrument`. Its handler belongs
    /// to the node: use `setMIDIHandler`.
    public let midi: MIDIInput
    private let host: AudioSessionHost
    private let outputs: AudioPorts
    private let inputs: AudioPorts?
    private let stallGuard: StallGuard
    private let handlers = Mutex(Handlers())

    private struct Handlers {
        var command: (@Sendable (RemoteCommand) -> Void)?
        var midi: (@Sendable (MIDIEvent) -> Void)?
    }

    /// Publishes a node of this app, and starts the engine of `host`. Blocks as `setActive` does.
    /// Throws `AudioEngineError.invalidArgument` for a channel count or name out of range,
    /// `DriverError` if the server refuses, and `AudioSessionError` if no server can be reached;
    /// then there is no node.
    public init(_ configuration: Configuration, on host: AudioSessionHost = .shared) throws {
        let (name, kind) = (configuration.name, configuration.kind)
        guard (1...NodeDescription.maximumName).contains(name.utf8.count),
            configuration.icon.count <= NodeDescription.maximumIcon
        else {
            throw AudioEngineError.invalidArgument(
                what: """
                    a node named '\(name)' with an icon of \(configuration.icon.count) bytes; a name has 1 to \
                    \(NodeDescription.maximumName) bytes, an icon at most \(NodeDescription.maximumIcon)
                    """)
        }
        let prefix = NodeDescription.portPrefix(of: name, kind: kind)
        let engine = try host.engine.get()
        try host.beginEngineUse()
        do {
            inputs =
                kind == .effect
                ? try engine.makePorts(name: "\(prefix) in", direction: .input, channels: configuration.inputChannels)
                : nil
            midi = try engine.makeMIDIInput(name: "\(prefix) midi")
            // Last: a node without outputs is none.
            outputs = try engine.makePorts(
                name: "\(prefix) out", direction: .output, channels: configuration.outputChannels)
            bus = try engine.makeBus(for: outputs)
            input = try inputs.map { ports in try engine.makeInput(from: ports) }
            if let port = outputs.group.portNames.first { engine.driver.setIcon(configuration.icon, ofPort: port) }
        } catch {
            host.endEngineUse()
            throw error
        }
        self.engine = engine
        self.host = host
        stallGuard = .of(engine)
        if let inputs { stallGuard.add(inputs.group.name) }
        stallGuard.add(midi.name, isMIDI: true)
        midi.setHandler { [weak self] in self?.receive($0) }
    }

    deinit {
        if let inputs { stallGuard.remove(inputs.group.name) }
        stallGuard.remove(midi.name)
        // The channels of the ports may soon belong to other ones.
        try? bus.stopAll()
        try? bus.setOutputs([])
        // Not only when the voices have ended: a node of the same name may follow at once.
        inputs?.remove()
        outputs.remove()
        host.endEngineUse()
    }

    /// Whether a host or another program is connected to the node's outputs.
    public var isConnected: Bool { outputs.connections.contains { !$0.isEmpty } }

    /// Sets the handler for the host's remote commands: play, pause, stop and seek; nil removes it.
    /// Called on a thread of the engine, as the handler of a MIDI input is
    /// (`MIDIInput.setHandler`). For beats and tempo, follow the server's transport
    /// (`AudioEngine.transport`).
    public func setCommandHandler(_ handler: (@Sendable (RemoteCommand) -> Void)?) {
        handlers.withLock { $0.command = handler }
    }

    /// Sets the handler for the MIDI messages that the host sends, except remote commands; nil
    /// removes it. Called as the handler for commands is.
    public func setMIDIHandler(_ handler: (@Sendable (MIDIEvent) -> Void)?) { handlers.withLock { $0.midi = handler } }

    private func receive(_ event: MIDIEvent) {
        let handlers = handlers.withLock { $0 }
        if let command = MachineControl.command(of: event.message) {
            handlers.command?(command)
        } else {
            handlers.midi?(event)
        }
    }
}
