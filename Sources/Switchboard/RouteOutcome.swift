internal import SessionArbiter
internal import SessionPolicy

/// `audiosession route`: the ports there are, and where each session's sound goes and comes from.
public struct RouteOutcome: Outcome {
    private var outputs: [DeviceView.Port]
    private var inputs: [DeviceView.Port]
    private var sessions: [SessionRoute]
    public private(set) var words = ""

    private enum CodingKeys: String, CodingKey { case outputs, inputs, sessions }

    private struct SessionRoute: Encodable {
        var id: UInt64
        /// By uid.
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
        let directory = Directory(report)
        let routes = statuses.map { status in
            let outputs = status.route.outputs.map { "\($0.name) (\($0.type.rawValue))" }
            let inputs = status.route.inputs.map { "\($0.name) (\($0.type.rawValue))" }
            return directory.name(status.session.id) + ": to " + (outputs.isEmpty ? "nowhere" : Text.list(outputs))
                + (inputs.isEmpty ? "" : ", from " + Text.list(inputs))
        }
        words = (Self.lines("output", outputs) + Self.lines("input", inputs) + routes).joined(separator: "\n")
    }

    private static func lines(_ what: String, _ ports: [DeviceView.Port]) -> [String] {
        guard !ports.isEmpty else { return ["\(what): none told of"] }
        return ports.map { port in
            "\(what) '\(port.uid)': \(port.name), \(port.type), \(port.channels) ch"
                + (port.picked ? ", picked by the user" : "")
        }
    }
}
