internal import AudioRendering
internal import CJackDriver
internal import Foundation

/// Nodes and their icons. All calls belong on the control thread.
extension JackClient {
    /// The property of a node's first output that holds its icon, a PNG file in base64.
    private static let iconKey = "http://jackaudio.org/metadata/icon-large"

    /// Publishes the icon of a port of this client; does nothing if the server has no metadata.
    func setIcon(_ icon: [UInt8], of port: String) {
        let text = icon.isEmpty ? nil : Data(icon).base64EncodedString()
        _ = rcore_jack_set_property(handle, "\(name):\(port)", Self.iconKey, text, "image/png;base64")
    }

    /// Returns the nodes of other clients, without icons.
    func readNodes() -> [NodeDescription] {
        let names = NodeNames(
            outputs: portNames(RCORE_JACK_PLAYBACK), inputs: portNames(RCORE_JACK_CAPTURE),
            midiInputs: portNames(RCORE_JACK_MIDI_IN))
        return names.nodes(without: name)
    }

    /// Returns the icon of a node; empty if there is none, or it is too long.
    func icon(of node: NodeDescription) -> [UInt8] {
        guard let port = node.outputs.first, let value = rcore_jack_property(handle, port, Self.iconKey) else {
            return []
        }
        defer { free(value) }
        guard strlen(value) <= NodeDescription.maximumIcon * 4 / 3 + 4,
            let data = Data(base64Encoded: String(cString: value)), data.count <= NodeDescription.maximumIcon
        else { return [] }
        return [UInt8](data)
    }

    private func portNames(_ direction: rcore_jack_direction_t) -> [String] {
        guard let names = rcore_jack_port_names(handle, direction) else { return [] }
        defer { rcore_jack_free_names(names) }
        var list: [String] = []
        var next = names
        while let name = next.pointee {
            if let text = String(validatingCString: name) { list.append(text) }
            next += 1
        }
        return list
    }
}
