internal import SessionArbiter
internal import SessionPolicy

/// A device as the commands show it.
struct DeviceView: Encodable, Equatable {
    var uid: String
    var name: String
    /// Whether `audiosession device plug` created the device.
    var isVirtual: Bool
    /// Whether the device exists for the policy only.
    var silent: Bool
    /// The audio server to which the device belongs; nil if it belongs to none.
    var server: String?
    /// The process ids of the apps whose sessions have the device in their route.
    var usedBy: [UInt64] = []
    /// The same apps, as text.
    private var users: [String] = []
    var ports: [Port]

    private enum CodingKeys: String, CodingKey { case uid, name, isVirtual = "virtual", silent, server, usedBy, ports }

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

    init(_ device: AudioDevice, _ report: ArbiterReport, _ programs: [DeviceProgram] = []) {
        let system = report.system
        uid = device.uid
        let isProgram = device.server != nil && programs.contains { $0.name == device.ports.first?.name }
        silent = device.server == nil && VirtualDevice.name(of: device) != nil
        isVirtual = silent || isProgram
        server = device.server
        name = VirtualDevice.name(of: device) ?? device.ports.first?.name ?? device.uid
        ports = device.ports.map { port in
            Port(
                uid: port.uid, name: port.name, type: port.type.rawValue, direction: port.direction.rawValue,
                channels: port.channels,
                picked: port.uid == (port.direction == .output ? system.pickedOutput : system.pickedInput))
        }
        let names = SessionNames(report)
        for app in Self.apps(using: device, report) {
            usedBy.append(app.rawValue)
            users.append("\(names.programName(of: app) ?? "an app") (pid \(app.rawValue))")
        }
    }

    /// A virtual device that is running, but that no app has reported yet.
    private init(_ program: DeviceProgram) {
        (uid, name, isVirtual, silent) = (program.name, program.name, true, false)
        server = program.server ?? "default"
        let device = program.type.map {
            VirtualDevice.device(program.name, $0, outputs: program.outputs, inputs: program.inputs)
        }
        ports = (device?.ports ?? []).map { port in
            Port(
                uid: program.name + ":" + port.direction.rawValue, name: port.name, type: port.type.rawValue,
                direction: port.direction.rawValue, channels: port.channels, picked: false)
        }
    }

    /// Returns the devices that were reported to the arbiter, and running virtual devices that were
    /// not reported.
    static func all(in report: ArbiterReport, _ programs: [DeviceProgram]) -> [DeviceView] {
        let reported = report.system.devices
        let unreported = programs.filter { program in
            !reported.contains { $0.server != nil && $0.ports.first?.name == program.name }
        }
        return reported.map { DeviceView($0, report, programs) } + unreported.map { DeviceView($0) }
    }

    /// Returns the apps with a session that plays to the device or records from it. If the device
    /// belongs to a server, only apps on that server count.
    private static func apps(using device: AudioDevice, _ report: ArbiterReport) -> [AppID] {
        let uids = Set(device.ports.map(\.uid))
        let servers = Dictionary(report.apps.map { ($0.id, $0.server) }, uniquingKeysWith: { first, _ in first })
        let users = report.sessions.map(\.status).filter { status in
            let app = status.session.app
            return app != .system && (device.server == nil || servers[app].flatMap(\.self) == device.server)
                && (status.route.outputs + status.route.inputs).contains { uids.contains($0.uid) }
        }
        return Set(users.map(\.session.app)).sorted { $0.rawValue < $1.rawValue }
    }

    /// A summary: "phones (virtual device: headphones 2 out, on default, used by player (pid
    /// 4711))".
    var summary: String {
        let ports = ports.map { port in
            "\(port.type) \(port.channels) \(port.direction == "output" ? "out" : "in")"
                + (port.picked ? ", picked" : "")
        }
        let parts =
            ports + (server.map { ["on \(ServerView.title(of: $0))"] } ?? [])
            + (users.isEmpty ? [] : ["used by " + Text.list(users)])
        return
            "\(name) (\(isVirtual ? silent ? "virtual device without sound: " : "virtual device: " : "")\(parts.joined(separator: ", ")))"
    }
}

/// Creates and recognises devices that exist for the policy only. With them, developers test how an
/// app reacts when a device is plugged in or unplugged (SIM-4).
enum VirtualDevice {
    private static let prefix = "virtual-device:"

    /// Returns the name under which the device was plugged in; nil for other devices.
    static func name(of device: AudioDevice) -> String? {
        device.uid.hasPrefix(prefix) ? String(device.uid.dropFirst(prefix.count)) : nil
    }

    /// Returns a device with `outputs` output channels and `inputs` input channels; nil means the
    /// usual number for its type.
    static func device(_ name: String, _ type: PortType, outputs: Int?, inputs: Int?) -> AudioDevice {
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
                DevicePort(
                    uid: uid + ":input", name: name, type: type.inDirection(.input), direction: .input, channels: inputs
                ))
        }
        return AudioDevice(uid: uid, ports: ports)
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
