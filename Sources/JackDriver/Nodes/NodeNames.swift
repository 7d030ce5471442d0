internal import AudioRendering

/// Finds nodes by the names of their ports: "Hall (effect) in_1", "Hall (effect) out_1" and
/// "Hall (effect) midi" (Documentation/InterAppAudio.md). Names are all that every server shows to
/// every client: jackd's metadata may be lost, and PipeWire's aliases are not shown to others
/// (decision 57).
struct NodeNames {
    private struct Key: Hashable, Comparable {
        var client: String
        var name: String
        var kind: NodeDescription.Kind

        static func < (a: Key, b: Key) -> Bool {
            (a.client, a.name, a.kind.rawValue) < (b.client, b.name, b.kind.rawValue)
        }
    }
    private struct Ports {
        /// The full names, by number.
        var inputs: [Int: String] = [:]
        var outputs: [Int: String] = [:]
        var midiInput: String?
    }
    private var found: [Key: Ports] = [:]

    /// Adds the full names of audio outputs, audio inputs and MIDI inputs.
    init(outputs: [String], inputs: [String], midiInputs: [String]) {
        for port in outputs {
            if let (key, number) = Self.parse(port, "out") { found[key, default: Ports()].outputs[number] = port }
        }
        for port in inputs {
            if let (key, number) = Self.parse(port, "in") { found[key, default: Ports()].inputs[number] = port }
        }
        for port in midiInputs {
            if let (key, rest) = Self.parse(port), rest == "midi" { found[key, default: Ports()].midiInput = port }
        }
    }

    /// The nodes, sorted, without those of a client, and without those that lack a port.
    func nodes(without client: String) -> [NodeDescription] {
        found.sorted { $0.key < $1.key }.compactMap { key, ports in
            guard key.client != client, let inputs = Self.list(ports.inputs), let outputs = Self.list(ports.outputs)
            else { return nil }
            let node = NodeDescription(
                kind: key.kind, name: key.name, client: key.client, inputs: inputs, outputs: outputs,
                midiInput: ports.midiInput)
            return node.isValid ? node : nil
        }
    }

    /// Returns the ports 1, 2 … in order; nil if one is missing.
    private static func list(_ ports: [Int: String]) -> [String]? {
        guard ports.count <= NodeDescription.maximumPorts else { return nil }
        let list = (1..<ports.count + 1).compactMap { ports[$0] }
        return list.count == ports.count ? list : nil
    }

    /// Returns the node of a port and the port's number; nil if it is no port "`word`_number".
    private static func parse(_ port: String, _ word: String) -> (Key, Int)? {
        guard let (key, rest) = parse(port), rest.hasPrefix(word + "_") else { return nil }
        let digits = rest.dropFirst(word.count + 1)
        // A number has one spelling.
        guard let number = Int(digits), number > 0, String(number) == digits else { return nil }
        return (key, number)
    }

    /// Returns the node of a port and the rest of the port's name; nil if it is no node's port.
    private static func parse(_ port: String) -> (Key, Substring)? {
        guard let colon = port.firstIndex(of: ":"), let space = port.lastIndex(of: " "), colon < space else {
            return nil
        }
        let (client, name) = (port[..<colon], port[port.index(after: colon)..<space])
        let kind = NodeDescription.Kind.allCases.first { name.hasSuffix(" (\($0.rawValue))") }
        guard let kind else { return nil }
        let title = name.dropLast(kind.rawValue.count + 3)
        return (Key(client: String(client), name: String(title), kind: kind), port[port.index(after: space)...])
    }
}
