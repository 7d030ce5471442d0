internal import SessionArbiter
internal import SessionPolicy

/// `audiosession route`: the existing ports, and the route of each session.
public struct RouteResult: CommandResult {
    private var outputs: [DeviceView.Port]
    private var inputs: [DeviceView.Port]
    private var sessions: [SessionRoute]
    public private(set) var text = ""

    private enum CodingKeys: String, CodingKey { case outputs, inputs, sessions }

    private struct SessionRoute: Encodable {
        var id: UInt64
        /// The uids of the ports.
        var outputs: [String]
        var inputs: [String]
    }

    init(_ report: ArbiterReport) {
        let ports = report.system.devices.flatMap { DeviceView($0, report).ports }
        outputs = ports.filter { $0.direction == DevicePort.Direction.output.rawValue }
        inputs = ports.filter { $0.direction == DevicePort.Direction.input.rawValue }
        let statuses = report.sessions.map(\.status).filter { $0.session.app != .system }
        sessions = statuses.map { status in
            SessionRoute(
                id: status.session.id.rawValue, outputs: status.route.outputs.map(\.uid),
                inputs: status.route.inputs.map(\.uid))
        }
        let names = SessionNames(report)
        let routes = statuses.map { status in
            let outputs = status.route.outputs.map { "\($0.name) (\($0.type.rawValue))" }
            let inputs = status.route.inputs.map { "\($0.name) (\($0.type.rawValue))" }
            return names.name(status.session.id) + ": to " + (outputs.isEmpty ? "no output" : Text.list(outputs))
                + (inputs.isEmpty ? "" : ", from " + Text.list(inputs))
        }
        text = Text.lines(Self.lines("output", outputs) + Self.lines("input", inputs) + routes)
    }

    private static func lines(_ direction: String, _ ports: [DeviceView.Port]) -> [String] {
        guard !ports.isEmpty else { return ["\(direction): none reported"] }
        return ports.map { port in
            "\(direction) '\(port.uid)': \(port.name), \(port.type), \(port.channels) ch"
                + (port.picked ? ", picked by the user" : "")
        }
    }
}
