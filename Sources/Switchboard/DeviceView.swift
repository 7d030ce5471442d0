internal import SessionArbiter
internal import SessionPolicy

/// A device as the commands show it.
struct DeviceView: Encodable, Equatable {
    var uid: String
    var name: String
    /// Whether it was plugged in by `audiosession device plug`.
    var standIn: Bool
    /// Whether it exists for the rules alone.
    var silent: Bool
    /// The audio server that has it; nil: none.
    var server: String?
    /// Processes of apps whose sessions have it in their route.
    var usedBy: [UInt64] = []
    /// The same, for people.
    private var users: [String] = []
    var ports: [Port]

    private enum CodingKeys: String, CodingKey { case uid, name, standIn, silent, server, usedBy, ports }

    struct Port: Encodable, Equatable {
        var uid: String
        var name: String
        var type: String
        /// "input" or "output".
        var direction: String
        var channels: Int
        /// Whether the user picked it.
        var picked: Bool
    }

    init(_ device: Device, _ report: ArbiterReport, _ programs: [DeviceProgram] = []) {
        let system = report.system
        uid = device.uid
        let isProgram = device.server != nil && programs.contains { $0.name == device.ports.first?.name }
        silent = device.server == nil && StandIn.name(of: device) != nil
        standIn = silent || isProgram
        server = device.server
        name = StandIn.name(of: device) ?? device.ports.first?.name ?? device.uid
        ports = device.ports.map { port in
            Port(
                uid: port.uid, name: port.name, type: port.type.rawValue, direction: port.direction.rawValue,
                channels: port.channels,
                picked: port.uid == (port.direction == .output ? system.pickedOutput : system.pickedInput))
        }
        let directory = Directory(report)
        for app in Self.apps(using: device, report) {
            usedBy.append(app.rawValue)
            users.append("\(directory.programName(of: app) ?? "an app") (pid \(app.rawValue))")
        }
    }

    /// A stand-in that runs, and that no app has told of yet.
    private init(_ program: DeviceProgram) {
        (uid, name, standIn, silent) = (program.name, program.name, true, false)
        server = program.server ?? "default"
        let device = program.type.map {
            StandIn.device(program.name, $0, outputs: program.outputs, inputs: program.inputs)
        }
        ports = (device?.ports ?? []).map { port in
            Port(
                uid: program.name + ":" + port.direction.rawValue, name: port.name, type: port.type.rawValue,
                direction: port.direction.rawValue, channels: port.channels, picked: false)
        }
    }

    /// What the arbiter was told of, and stand-ins that run and that it was not.
    static func all(in report: ArbiterReport, _ programs: [DeviceProgram]) -> [DeviceView] {
        let told = report.system.devices
        let untold = programs.filter { program in
            !told.contains { $0.server != nil && $0.ports.first?.name == program.name }
        }
        return told.map { DeviceView($0, report, programs) } + untold.map { DeviceView($0) }
    }

    /// Apps on the device's server, or on any, one of whose sessions goes to it or comes from it.
    private static func apps(using device: Device, _ report: ArbiterReport) -> [AppID] {
        let uids = Set(device.ports.map(\.uid))
        let servers = Dictionary(report.apps.map { ($0.id, $0.server) }, uniquingKeysWith: { first, _ in first })
        let users = report.sessions.map(\.status).filter { status in
            let app = status.session.app
            return app != .system && (device.server == nil || servers[app].flatMap(\.self) == device.server)
                && (status.route.outputs + status.route.inputs).contains { uids.contains($0.uid) }
        }
        return Set(users.map(\.session.app)).sorted { $0.rawValue < $1.rawValue }
    }

    /// "phones (stand-in: headphones 2 out, on default, used by player (pid 4711))".
    var summary: String {
        let ports = ports.map { port in
            "\(port.type) \(port.channels) \(port.direction == "output" ? "out" : "in")"
                + (port.picked ? ", picked" : "")
        }
        let parts =
            ports + (server.map { ["on \(ServerView.title(of: $0))"] } ?? [])
            + (users.isEmpty ? [] : ["used by " + Text.list(users)])
        return
            "\(name) (\(standIn ? silent ? "stand-in without sound: " : "stand-in: " : "")\(parts.joined(separator: ", ")))"
    }
}

/// Devices that exist for the policy alone: to try what an app does when one comes or goes (SIM-4).
enum StandIn {
    private static let prefix = "stand-in:"

    /// What it was called when it was plugged in; nil for other devices.
    static func name(of device: Device) -> String? {
        device.uid.hasPrefix(prefix) ? String(device.uid.dropFirst(prefix.count)) : nil
    }

    /// `outputs`, `inputs` nil: as such a device usually has.
    static func device(_ name: String, _ type: PortType, outputs: Int?, inputs: Int?) -> Device {
        var ports: [DevicePort] = []
        let outputs = outputs ?? (type.isInputOnly ? 0 : type.usualOutputs)
        let inputs = inputs ?? type.usualInputs
        let uid = prefix + name
        if outputs > 0 {
            ports.append(
                DevicePort(uid: uid + ":output", name: name, type: type, direction: .output, channels: outputs))
        }
        if inputs > 0 {
            ports.append(
                DevicePort(uid: uid + ":input", name: name, type: type.input, direction: .input, channels: inputs))
        }
        return Device(uid: uid, ports: ports)
    }
}

extension PortType {
    var isInputOnly: Bool {
        switch self {
        case .lineIn, .builtInMic, .headsetMic, .continuityMicrophone: true
        default: false
        }
    }

    var isOutputOnly: Bool {
        switch self {
        case .lineOut, .builtInReceiver, .builtInSpeaker, .bluetoothA2DP, .hdmi, .airPlay, .displayPort: true
        default: false
        }
    }

    /// The type of the input that goes with an output of this one: a headset's microphone is a port of another type.
    fileprivate var input: PortType { self == .headphones ? .headsetMic : self }

    fileprivate var usualOutputs: Int {
        switch self {
        case .builtInReceiver, .bluetoothHFP: 1
        default: 2
        }
    }

    fileprivate var usualInputs: Int {
        switch self {
        case .lineIn: 2
        case .builtInMic, .headsetMic, .continuityMicrophone, .bluetoothHFP: 1
        default: 0
        }
    }
}
