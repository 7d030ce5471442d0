internal import SessionPolicy

/// A device as the commands show it.
struct DeviceView: Encodable, Equatable {
    var uid: String
    var name: String
    /// Whether it was plugged in by `audiosession device plug`.
    var standIn: Bool
    var ports: [Port]

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

    init(_ device: Device, _ system: SystemRecord) {
        uid = device.uid
        standIn = StandIn.name(of: device) != nil
        name = StandIn.name(of: device) ?? device.ports.first?.name ?? device.uid
        ports = device.ports.map { port in
            Port(
                uid: port.uid, name: port.name, type: port.type.rawValue, direction: port.direction.rawValue,
                channels: port.channels,
                picked: port.uid == (port.direction == .output ? system.pickedOutput : system.pickedInput))
        }
    }

    /// "Headphones (stand-in: headphones, 2 out)".
    var summary: String {
        let ports = ports.map { port in
            "\(port.type) \(port.channels) \(port.direction == "output" ? "out" : "in")"
                + (port.picked ? ", picked" : "")
        }
        return "\(name) (\(standIn ? "stand-in: " : "")\(ports.joined(separator: ", ")))"
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
