/// What every program that has sessions reports of them, of the hardware and of the server.
package enum SessionChange {
    case hardware(Hardware)
    case session(SessionStatus)
    /// `summary`: the ports that matter to the program, as text.
    case route(Route, summary: String)
    case interruption(type: String, reason: String?, shouldResume: Bool?)
    case server(state: String)
    case xrun(count: Int)
    case error(code: Int, message: String)

    package struct Hardware: Codable, Equatable {
        package var server: String
        package var sampleRate: Int
        package var ioBufferDuration: Double
        package var periodFrames: Int
        package var outputLatency: Double
        package var preferredSampleRate: Double
        package var preferredIOBufferDuration: Double
    }

    package struct Route: Codable, Equatable {
        package var reason: String
        package var outputs: [RoutePort]
        package var inputs: [RoutePort]
        package var previous: [RoutePort]
    }

    package struct RoutePort: Codable, Equatable {
        package var uid: String
        package var type: String
        package var name: String
        package var channels: Int
    }
}

extension SessionChange {
    /// The value of the key `event`.
    package var name: String {
        switch self {
        case .hardware: "hardware"
        case .session: "session"
        case .route: "route"
        case .interruption: "interruption"
        case .server: "server"
        case .xrun: "xrun"
        case .error: "error"
        }
    }

    package func encodeValues(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: EventKey.self)
        switch self {
        case .hardware(let hardware): try hardware.encode(to: encoder)
        case .session(let session): try session.encode(to: encoder)
        case .route(let route, _): try route.encode(to: encoder)
        case .interruption(let type, let reason, let shouldResume):
            try keyed.encode(type, forKey: "type")
            try keyed.encodeIfPresent(reason, forKey: "reason")
            try keyed.encodeIfPresent(shouldResume, forKey: "shouldResume")
        case .server(let state): try keyed.encode(state, forKey: "state")
        case .xrun(let count): try keyed.encode(count, forKey: "count")
        case .error(let code, let message):
            try keyed.encode(code, forKey: "code")
            try keyed.encode(message, forKey: "message")
        }
    }

    /// The change as one line of text.
    package var line: String {
        switch self {
        case .hardware(let hardware):
            """
            hardware: \(hardware.server), \(hardware.sampleRate) Hz, period \(hardware.periodFrames) frames \
            (\(Text.milliseconds(hardware.ioBufferDuration))), output latency \(Text.milliseconds(hardware.outputLatency))
            """
        case .session(let session): "\(session.id): \(session.summary)"
        case .route(let route, let summary): "route (\(route.reason)): \(summary)"
        case .interruption("began", let reason, _): "interruption began (\(reason ?? "default"))"
        case .interruption(let type, _, let shouldResume):
            "interruption \(type)" + (shouldResume == true ? ", should resume" : "")
        case .server(let state): "server \(state)"
        case .xrun(let count): "xruns: \(count)"
        case .error(_, let message): "error: \(message)"
        }
    }
}
