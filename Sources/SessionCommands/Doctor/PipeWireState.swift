internal import Foundation

/// What `audiosession-hand --inspect` finds on PipeWire.
public struct PipeWireInspection: Hashable, Sendable {
    public var version = ""
    /// Whether pipewire-pulse is connected, or starts when a program connects to its socket.
    public var hasPulse = false
    /// The nodes of a policy that routes programs by their role.
    public var roles: [String] = []
    /// The names of the JACK clients.
    public var jackClients: [String] = []

    public init() {}

    /// Reads the lines that it prints. Ignores unknown keys.
    public init(lines: String) {
        for line in lines.split(separator: "\n") {
            let pair = line.split(separator: "=", maxSplits: 1).map(String.init)
            guard let key = pair.first, let value = pair.dropFirst().first?.removingPercentEncoding else { continue }
            switch key {
            case "pipewire": version = value
            case "pulse": hasPulse = value == "1"
            case "role": roles.append(value)
            case "jack": jackClients.append(value)
            default: continue
            }
        }
    }
}

/// Whether PipeWire runs.
public enum PipeWireState: Hashable, Sendable {
    case running(PipeWireInspection)
    /// It does not run, or does not answer.
    case absent(reason: String)
}
