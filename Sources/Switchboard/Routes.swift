internal import SessionArbiter
public import SessionPolicy

/// `audiosession route` and `audiosession device`: where sound goes, and what is plugged in (SIM-4, SIM-5, ROUTE-8).
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

    // MARK: Stand-in devices

    /// `outputs`, `inputs` nil: as such a device usually has.
    public func plug(
        _ name: String, _ type: PortType, outputs: Int?, inputs: Int?
    ) throws(SwitchboardError) -> Done {
        guard !(type.isInputOnly && outputs ?? 0 > 0), !(type.isOutputOnly && inputs ?? 0 > 0) else {
            throw SwitchboardError(
                .usage,
                """
                A \(type.rawValue) with \(outputs ?? 0) outputs and \(inputs ?? 0) inputs was asked for; it has only \
                \(type.isInputOnly ? "inputs" : "outputs").
                """
            )
        }
        let device = StandIn.device(name, type, outputs: outputs, inputs: inputs)
        guard !device.ports.isEmpty else {
            throw SwitchboardError(
                .usage, "A device '\(name)' without outputs and inputs was asked for; give it one at least.")
        }
        let plugged = try desk.report().system.devices
        guard !plugged.contains(where: { $0.uid == device.uid }) else {
            throw SwitchboardError(
                .usage, "A stand-in device '\(name)' is plugged in already; unplug it first, or use another name.")
        }
        try desk.submit(.plug(device))
        return Done("device plug \(name)", "\(name) is plugged in as \(type.rawValue).")
    }

    public func unplug(_ name: String) throws(SwitchboardError) -> Done {
        let standIns = try desk.report().system.devices.filter { StandIn.name(of: $0) != nil }
        guard let device = standIns.first(where: { StandIn.name(of: $0) == name || $0.uid == name }) else {
            let names = standIns.compactMap { StandIn.name(of: $0) }.map { "'\($0)'" }
            throw SwitchboardError(
                .usage,
                """
                No stand-in device '\(name)' is plugged in; there \
                \(names.isEmpty ? "is none" : names.count == 1 ? "is \(names[0])" : "are \(Text.list(names))").
                """)
        }
        try desk.submit(.unplug(device.uid))
        return Done("device unplug \(name)", "\(name) is unplugged.")
    }

    public func list() throws(SwitchboardError) -> DevicesOutcome {
        let system = try desk.report().system
        return DevicesOutcome(devices: system.devices.map { DeviceView($0, system) })
    }
}

/// `audiosession device list`.
public struct DevicesOutcome: Outcome, Equatable {
    var devices: [DeviceView]

    public var words: String {
        devices.isEmpty
            ? "No device is plugged in, as far as the arbiter was told."
            : devices.map(\.summary).joined(separator: "\n")
    }
}
