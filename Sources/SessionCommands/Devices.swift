internal import SessionArbiter
public import SessionPolicy

/// `audiosession device`: lists devices, and plugs in and unplugs virtual ones (SIM-4).
public struct Devices {
    private let arbiter: any ArbiterClient
    private let programs: any DevicePrograms

    public init(_ arbiter: any ArbiterClient, _ programs: any DevicePrograms = RealDevicePrograms()) {
        self.arbiter = arbiter
        self.programs = programs
    }

    /// Plugs in a virtual device: starts its program on the running server; with `policyOnly`, or
    /// if no server is running, adds the device to the policy only. Nil channels mean the usual
    /// number for the type. Throws if the channels do not suit the type, or if the name is in use
    /// or not valid on a server.
    public func plug(
        _ name: String, _ type: PortType, outputs: Int?, inputs: Int?, policyOnly: Bool = false
    ) throws(CommandError) -> ChangeResult {
        let device = try makeVirtualDevice(name, type, outputs, inputs)
        let usedNames =
            programs.running().map(\.name) + (try arbiter.report().system.devices.compactMap(VirtualDevice.name))
        guard !usedNames.contains(name) else {
            throw CommandError(
                .usage, "A virtual device '\(name)' is already plugged in; unplug it first, or use another name.")
        }
        guard !policyOnly, let server = programs.server() else {
            try arbiter.submit(.plug(device))
            let reason = policyOnly ? "" : ": no audio server is running"
            return ChangeResult(
                "device plug \(name)",
                "\(name) is plugged in as \(type.rawValue) for the policy only, without sound\(reason).",
                silent: true)
        }
        guard name.allSatisfy({ !#":/"\"#.contains($0) }) else {
            throw CommandError(
                .usage, #"Invalid device name '\#(name)': on an audio server, names must not contain :, /, " or \."#)
        }
        func channels(_ direction: DevicePort.Direction) -> Int {
            device.ports.first { $0.direction == direction }?.channels ?? 0
        }
        try programs.start(
            DeviceProgram(name: name, type: type, outputs: channels(.output), inputs: channels(.input)), on: server)
        return ChangeResult(
            "device plug \(name)", "\(name) is plugged in as \(type.rawValue) on \(server.title).",
            server: server.title, silent: false)
    }

    /// Returns the device with its ports. Throws if outputs are requested of a type that has only
    /// inputs, or the reverse, or if the device would have no channels.
    private func makeVirtualDevice(
        _ name: String, _ type: PortType, _ outputs: Int?, _ inputs: Int?
    ) throws(CommandError) -> AudioDevice {
        guard !(type.isInputOnly && outputs ?? 0 > 0), !(type.isOutputOnly && inputs ?? 0 > 0) else {
            throw CommandError(
                .usage,
                """
                Invalid device: type \(type.rawValue) with \(outputs ?? 0) outputs and \(inputs ?? 0) inputs; \
                this type has only \(type.isInputOnly ? "inputs" : "outputs").
                """
            )
        }
        let device = VirtualDevice.device(name, type, outputs: outputs, inputs: inputs)
        guard !device.ports.isEmpty else {
            throw CommandError(
                .usage, "Device '\(name)' would have neither outputs nor inputs; specify at least one.")
        }
        return device
    }

    /// Unplugs a virtual device: ends its program, or removes it from the policy if it exists there
    /// only. Throws if no virtual device has that name.
    public func unplug(_ name: String) throws(CommandError) -> ChangeResult {
        let running = programs.running().filter { $0.name == name }
        guard running.isEmpty else {
            try programs.end(name)
            return ChangeResult("device unplug \(name)", "\(name) is unplugged.", silent: false)
        }
        let virtualDevices = try arbiter.report().system.devices.filter { VirtualDevice.name(of: $0) != nil }
        guard let device = virtualDevices.first(where: { VirtualDevice.name(of: $0) == name || $0.uid == name }) else {
            let names = (virtualDevices.compactMap(VirtualDevice.name) + programs.running().map(\.name)).map {
                "'\($0)'"
            }
            throw CommandError(
                .usage,
                """
                No virtual device '\(name)' is plugged in. Virtual devices: \
                \(names.isEmpty ? "none" : names.count == 1 ? "\(names[0])" : "\(Text.list(names))").
                """)
        }
        try arbiter.submit(.unplug(device.uid))
        return ChangeResult("device unplug \(name)", "\(name) is unplugged.", silent: true)
    }

    /// Returns all devices that were reported to the arbiter, and running virtual devices.
    public func list() throws(CommandError) -> DevicesResult {
        DevicesResult(devices: DeviceView.all(in: try arbiter.report(), programs.running()))
    }
}

/// The result of `audiosession device list`.
public struct DevicesResult: CommandResult, Equatable {
    var devices: [DeviceView]

    public var text: String {
        devices.isEmpty
            ? "No devices have been reported to the arbiter."
            : Text.lines(devices.map(\.summary))
    }
}
