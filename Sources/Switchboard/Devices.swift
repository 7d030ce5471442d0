internal import SessionArbiter
public import SessionPolicy

/// `audiosession device`: what is plugged in, and stand-ins that come and go (SIM-4).
public struct Devices {
    private let desk: any ArbiterDesk
    private let programs: any DevicePrograms

    public init(_ desk: any ArbiterDesk, _ programs: any DevicePrograms = RealDevicePrograms()) {
        self.desk = desk
        self.programs = programs
    }

    /// `outputs`, `inputs` nil: as such a device usually has. With `policyOnly`, or where no server runs, it exists for the rules alone.
    public func plug(
        _ name: String, _ type: PortType, outputs: Int?, inputs: Int?, policyOnly: Bool = false
    ) throws(SwitchboardError) -> Done {
        let device = try standIn(name, type, outputs, inputs)
        let known = programs.running().map(\.name) + (try desk.report().system.devices.compactMap(StandIn.name))
        guard !known.contains(name) else {
            throw SwitchboardError(
                .usage, "A stand-in device '\(name)' is plugged in already; unplug it first, or use another name.")
        }
        guard !policyOnly, let server = programs.server() else {
            try desk.submit(.plug(device))
            let reason = policyOnly ? "" : ", since no audio server runs"
            return Done(
                "device plug \(name)",
                "\(name) is plugged in as \(type.rawValue), for the rules alone: no sound comes out of it\(reason).",
                silent: true)
        }
        guard name.allSatisfy({ !#":/"\"#.contains($0) }) else {
            throw SwitchboardError(
                .usage, #"A device '\#(name)' was to be plugged in; on an audio server its name has none of :/"\."#)
        }
        func channels(_ direction: DevicePort.Direction) -> Int {
            device.ports.first { $0.direction == direction }?.channels ?? 0
        }
        try programs.start(
            DeviceProgram(name: name, type: type, outputs: channels(.output), inputs: channels(.input)), on: server)
        return Done(
            "device plug \(name)", "\(name) is plugged in as \(type.rawValue) on \(server.title).",
            server: server.title, silent: false)
    }

    private func standIn(
        _ name: String, _ type: PortType, _ outputs: Int?, _ inputs: Int?
    ) throws(SwitchboardError) -> Device {
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
        return device
    }

    public func unplug(_ name: String) throws(SwitchboardError) -> Done {
        let running = programs.running().filter { $0.name == name }
        guard running.isEmpty else {
            try programs.end(name)
            return Done("device unplug \(name)", "\(name) is unplugged.", silent: false)
        }
        let standIns = try desk.report().system.devices.filter { StandIn.name(of: $0) != nil }
        guard let device = standIns.first(where: { StandIn.name(of: $0) == name || $0.uid == name }) else {
            let names = (standIns.compactMap(StandIn.name) + programs.running().map(\.name)).map { "'\($0)'" }
            throw SwitchboardError(
                .usage,
                """
                No stand-in device '\(name)' is plugged in; there \
                \(names.isEmpty ? "is none" : names.count == 1 ? "is \(names[0])" : "are \(Text.list(names))").
                """)
        }
        try desk.submit(.unplug(device.uid))
        return Done("device unplug \(name)", "\(name) is unplugged.", silent: true)
    }

    public func list() throws(SwitchboardError) -> DevicesOutcome {
        DevicesOutcome(devices: DeviceView.all(in: try desk.report(), programs.running()))
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
