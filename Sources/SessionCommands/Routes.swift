internal import SessionArbiter
public import SessionPolicy

/// `audiosession route`: shows routes and picks ports (SIM-5, ROUTE-8).
public struct Routes {
    /// The argument that clears a pick.
    public static let automatic = "auto"
    private let arbiter: any ArbiterClient

    public init(_ arbiter: any ArbiterClient) { self.arbiter = arbiter }

    public func show() throws(CommandError) -> RouteResult { RouteResult(try arbiter.report()) }

    /// Picks the port whose uid, name or type is `selector`. A name or type must match one port
    /// only. `auto` clears the pick, unless a port has that uid or name.
    public func pick(_ direction: DevicePort.Direction, _ selector: String) throws(CommandError) -> ChangeResult {
        let command = "route " + (direction == .input ? "--input " : "") + selector
        let ports = try arbiter.report().system.devices.flatMap(\.ports).filter { $0.direction == direction }
        if selector == Self.automatic, !ports.contains(where: { $0.uid == selector || $0.name == selector }) {
            try arbiter.submit(.pick(direction, nil))
            return ChangeResult(command, "The \(direction.rawValue) is chosen automatically again.")
        }
        let port = try find(selector, among: ports, direction)
        try arbiter.submit(.pick(direction, port.uid))
        return ChangeResult(command, "The \(direction.rawValue) is \(port.name) (\(port.type.rawValue)).")
    }

    /// Returns the only port that matches; a uid takes precedence over a name, a name over a type.
    /// Otherwise throws a usage error that lists the candidates.
    private func find(
        _ selector: String, among ports: [DevicePort], _ direction: DevicePort.Direction
    ) throws(CommandError) -> DevicePort {
        if let port = ports.first(where: { $0.uid == selector }) { return port }
        let named = ports.filter { $0.name == selector }
        let matches = named.isEmpty ? ports.filter { $0.type.rawValue == selector } : named
        if let port = matches.first, matches.count == 1 { return port }
        let known = (matches.isEmpty ? ports : matches).map { "'\($0.uid)' (\($0.name), \($0.type.rawValue))" }
        throw CommandError(
            .usage,
            """
            \(matches.isEmpty ? "No" : "More than one") \(direction.rawValue) matches '\(selector)'. Candidates: \
            \(known.isEmpty ? "none" : Text.list(known)).
            """)
    }
}
