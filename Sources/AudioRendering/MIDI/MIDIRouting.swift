internal import AudioSessionTypes
internal import CRenderCore

/// The MIDI ports, targets and connections of an engine, and the routings that the core holds.
struct MIDIRouting {
    struct Connection {
        var port: Int
        var target: UInt32
        var channels: MIDIChannels
    }
    struct Output {
        var port: MIDIPort
        var target: UInt32
        var core: CoreMIDIOutput
    }

    private(set) var inputs: [(port: MIDIPort, core: CoreMIDIInput)] = []
    private var outputs: [Output] = []
    private var instruments: [UInt32: CoreInstrument] = [:]
    private var connections: [Connection] = []
    private var nextTarget = Self.transport + 1
    /// What each posted routing that the core may still hold refers to, oldest first.
    private var posted: [[any AnyObject & Sendable]] = []
    /// What only routings that are no longer in use referred to.
    var unused: [any AnyObject & Sendable] = []

    /// The identity of the transport as a target.
    static let transport: UInt32 = 0
    private static let portLimit = Int(RCORE_MAX_MIDI_PORTS)

    var ports: [MIDIPort] { inputs.map(\.port) + outputs.map(\.port) }
    var hasOutputs: Bool { !outputs.isEmpty }

    // MARK: Changes

    /// Returns the next identity of a target, which no posted routing has had.
    mutating func makeTarget() -> UInt32 {
        defer { nextTarget += 1 }
        return nextTarget
    }

    /// Returns a port of this name with a free number.
    private func freePort(_ direction: DevicePort.Direction, _ name: String) throws(AudioEngineError) -> MIDIPort {
        let all = ports
        guard !name.isEmpty, name.utf8.count <= 64, !name.utf8.contains(UInt8(ascii: ":")), !name.utf8.contains(0)
        else {
            throw .invalidArgument(what: "a MIDI port '\(name)'; a name has 1 to 64 bytes and no colon")
        }
        guard !all.contains(where: { $0.name == name }) else {
            throw .invalidArgument(what: "a second MIDI port '\(name)'")
        }
        let taken = Set(all.filter { $0.direction == direction }.map(\.number))
        guard let number = (0..<Self.portLimit).first(where: { !taken.contains($0) }) else {
            throw .invalidArgument(what: "a MIDI port '\(name)'; an engine has \(Self.portLimit) in each direction")
        }
        return MIDIPort(direction: direction, number: number, name: name)
    }

    mutating func addInput(_ name: String, _ core: CoreMIDIInput) throws(AudioEngineError) -> MIDIPort {
        let port = try freePort(.input, name)
        inputs.append((port, core))
        return port
    }

    mutating func addOutput(_ name: String, _ core: CoreMIDIOutput) throws(AudioEngineError) -> (MIDIPort, UInt32) {
        let port = try freePort(.output, name)
        let target = makeTarget()
        outputs.append(Output(port: port, target: target, core: core))
        return (port, target)
    }

    mutating func addInstrument(_ core: CoreInstrument) -> UInt32 {
        let target = makeTarget()
        instruments[target] = core
        return target
    }

    mutating func removePort(_ port: MIDIPort) {
        if port.direction == .input {
            inputs.removeAll { $0.port == port }
            connections.removeAll { $0.port == port.number }
        } else if let index = outputs.firstIndex(where: { $0.port == port }) {
            removeTarget(outputs[index].target)
        }
    }

    mutating func removeTarget(_ target: UInt32) {
        outputs.removeAll { $0.target == target }
        instruments[target] = nil
        connections.removeAll { $0.target == target }
    }

    mutating func connect(port: Int, to target: UInt32, channels: MIDIChannels) throws(AudioEngineError) {
        disconnect(port: port, from: target)
        connections.append(Connection(port: port, target: target, channels: channels))
        guard connections.count <= Int(RCORE_MAX_MIDI_CONNECTIONS) else {
            throw .invalidArgument(what: "more than \(RCORE_MAX_MIDI_CONNECTIONS) MIDI connections")
        }
    }

    mutating func disconnect(port: Int, from target: UInt32) {
        connections.removeAll { $0.port == port && $0.target == target }
    }

    // MARK: The core's routings

    /// Posts the current routing.
    mutating func post(to core: OpaquePointer) throws(AudioEngineError) {
        guard outputs.count + instruments.count <= Int(RCORE_MAX_MIDI_TARGETS) else {
            throw .invalidArgument(
                what: "more than \(RCORE_MAX_MIDI_TARGETS) instruments and MIDI outputs of an engine")
        }
        guard let routing = rcore_midi_routing_create() else { throw .outOfMemory(what: "a MIDI routing") }
        rcore_midi_routing_add_transport(routing, Self.transport)
        for (port, core) in inputs { rcore_midi_routing_add_input(routing, UInt32(port.number), core.handle) }
        for output in outputs {
            rcore_midi_routing_add_output(routing, output.target, UInt32(output.port.number), output.core.handle)
        }
        for (target, core) in instruments { rcore_midi_routing_add_instrument(routing, target, core.handle) }
        for connection in connections {
            rcore_midi_routing_connect(
                routing, UInt32(connection.port), connection.target, UInt32(connection.channels.rawValue))
        }
        let status = rcore_post_midi_routing(core, routing)
        guard status == RCORE_OK else {
            rcore_midi_routing_destroy(routing)
            throw AudioEngineError(status, "a MIDI routing")
        }
        posted.append(inputs.map(\.core) + outputs.map(\.core) + Array(instruments.values))
    }

    /// Frees the routings that the core no longer uses, and collects what only they referred to.
    mutating func collect(from core: OpaquePointer) {
        guard posted.count > 1 else { return }
        let freed = posted.count - max(1, Int(rcore_collect_midi_routings(core)))
        guard freed > 0 else { return }
        unused += posted.prefix(freed).flatMap(\.self)
        posted.removeFirst(freed)
    }
}
