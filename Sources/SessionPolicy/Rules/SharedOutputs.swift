/// The outputs that sessions share, which limit ducking (rule DUCK-6).
extension PolicyState {
    /// An output port of a server; of none for a virtual device. Ports of different servers are
    /// different outputs, also if they have the same uid.
    struct OutputPort: Hashable {
        var server: String?
        var uid: String
    }

    /// Returns the outputs of a session's route. Nil if they are not known, and for sessions of the
    /// system, which belong to no server: these share the outputs of every session.
    func outputPorts(of session: SessionState) -> Set<OutputPort>? {
        guard session.app != .system, knowsDevices(of: session) else { return nil }
        let outputs = routeWithAwaited(of: session).outputs
        return devices(seenBy: session.app).reduce(into: []) { ports, device in
            for port in device.ports where outputs.contains(port) {
                ports.insert(OutputPort(server: device.server, uid: port.uid))
            }
        }
    }
}
