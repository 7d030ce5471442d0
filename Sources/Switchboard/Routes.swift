internal import SessionArbiter
public import SessionPolicy

/// `audiosession route`: where sound goes (SIM-5, ROUTE-8).
public struct Routes {
    /// The word that takes a pick back.
    public static let automatic = "auto"
    private let desk: any ArbiterDesk

    public init(_ desk: any ArbiterDesk) { self.desk = desk }

    public func show() throws(SwitchboardError) -> RouteOutcome { RouteOutcome(try desk.report()) }

    /// Picks a port by uid, name, or type if only one has it; `auto` takes the pick back.
    public func pick(_ direction: DevicePort.Direction, _ wanted: String) throws(SwitchboardError) -> Done {
        let command = "route " + (direction == .input ? "--input " : "") + wanted
        let ports = try desk.report().system.devices.flatMap(\.ports).filter { $0.direction == direction }
        if wanted == Self.automatic, !ports.contains(where: { $0.uid == wanted || $0.name == wanted }) {
            try desk.submit(.pick(direction, nil))
            return Done(command, "The \(direction.rawValue) is chosen by the rules again.")
        }
        let port = try find(wanted, among: ports, direction)
        try desk.submit(.pick(direction, port.uid))
        return Done(command, "The \(direction.rawValue) is \(port.name) (\(port.type.rawValue)).")
    }

    private func find(
        _ wanted: String, among ports: [DevicePort], _ direction: DevicePort.Direction
    ) throws(SwitchboardError) -> DevicePort {
        if let port = ports.first(where: { $0.uid == wanted }) { return port }
        let named = ports.filter { $0.name == wanted }
        let matches = named.isEmpty ? ports.filter { $0.type.rawValue == wanted } : named
        if let port = matches.first, matches.count == 1 { return port }
        let known = (matches.isEmpty ? ports : matches).map { "'\($0.uid)' (\($0.name), \($0.type.rawValue))" }
        throw SwitchboardError(
            .usage,
            """
            \(matches.isEmpty ? "No" : "More than one") \(direction.rawValue) is '\(wanted)'; there \
            \(known.isEmpty ? "is none" : known.count == 1 ? "is \(known[0])" : "are \(Text.list(known))").
            """)
    }
}
