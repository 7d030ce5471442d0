import ArbiterService
import Foundation
import SessionArbiter
import SessionPolicy
import Testing

/// Decodes Documentation/Protocol.md as the library decodes a packet: each example must be a
/// message without a key that the decoder ignores.
@Suite struct ProtocolPageTests {
    private let page: ProtocolPage

    init() throws { page = try ProtocolPage() }

    @Test("every example is decoded, and encoded again without losing anything")
    func examples() throws {
        #expect(page.packets.count > 80)
        for packet in page.packets {
            let data = Data(packet.json.utf8)
            let written: Data
            do {
                written =
                    packet.isAsked
                    ? try Self.rewritten(data, as: ClientMessage.self)
                    : try Self.rewritten(data, as: ArbiterMessage.self)
            } catch {
                Issue.record("\(packet.json): \(error)")
                continue
            }
            let (shown, again) = (try Self.object(data), try Self.object(written))
            #expect(Self.lost(of: shown, in: again) == [], "\(packet.json)")
        }
    }

    @Test("every key that the library writes occurs, also those that examples omit")
    func keys() throws {
        var keys: Set<String> = []
        for packet in page.packets {
            let data = Data(packet.json.utf8)
            let written =
                packet.isAsked
                ? try Self.rewritten(data, as: ClientMessage.self) : try Self.rewritten(data, as: ArbiterMessage.self)
            keys.formUnion(Self.keys(of: try Self.object(written)))
        }
        #expect(keys.count > 150)
        #expect(keys.filter { !page.text.contains("\"\($0)\"") && !page.text.contains("`\($0)`") } == [])
    }

    @Test("every request, action, message and error occurs")
    func completeness() throws {
        var requests: Set<String> = []
        var messages: Set<String> = []
        var codes: Set<RequestError.Code> = []
        var replies: Set<String> = []
        for packet in page.packets {
            let data = Data(packet.json.utf8)
            if packet.isAsked {
                requests.insert(Self.name(of: try JSONDecoder().decode(ClientMessage.self, from: data).request))
            } else {
                let message = try JSONDecoder().decode(ArbiterMessage.self, from: data)
                messages.insert(Self.name(of: message))
                if case .failure(_, let error) = message { codes.insert(error.code) }
                if case .reply = message {
                    replies.formUnion(try #require(try Self.object(data) as? [String: Any]).keys)
                }
            }
        }
        let isShown = { (action: PolicyAction.Name) in
            requests.contains(action.rawValue) || page.decides(action.rawValue)
        }
        #expect(PolicyAction.Name.allCases.filter { !isShown($0) } == [])
        #expect(
            Self.requests.subtracting(requests) == [] && Self.messages == messages
                && codes == [.refused, .malformed, .notPermitted, .limit, .unavailable])
        #expect(
            replies == ["reply", "welcome", "session", "report", "decisions", "history", "nowPlaying", "permissions"],
            "each field of a reply")
    }

    @Test("names and numbers are those of the library")
    func words() {
        var names = Category.allCases.map(\.rawValue) + Mode.allCases.map(\.rawValue)
        names += PortType.allCases.map(\.rawValue) + Refusal.Code.allCases.map(\.rawValue)
        names += ApplicationState.allCases.map(\.rawValue) + RecordPermission.allCases.map(\.name)
        names += Rank.allCases.map { "\($0)" } + InterruptionReason.allCases.map { "\($0)" }
        names += RouteChangeReason.allCases.map { "\($0)" }
        #expect(names.filter { !page.text.contains($0) } == [])
        let limits = ServiceSettings.Limits()
        for number in [
            ArbiterProtocol.packetLimit, limits.clients, limits.sessionsPerApp, limits.sessions,
            limits.messagesPerSecond,
            limits.queuedBytes,
        ] { #expect(page.text.contains("\(Self.grouped(number)) |") || page.text.contains("\(Self.grouped(number)),")) }
        #expect(page.text.contains("This is version \(ArbiterProtocol.versions.upperBound) of"))
    }

    // MARK: What occurs

    /// Uses an exhaustive switch, so that new cases must be added here, and then to the list below.
    private static func name(of request: ClientMessage.Request) -> String {
        switch request {
        case .submit(let action): action.name.rawValue
        case .hello: "hello"
        case .join: "join"
        case .restore: "restore"
        case .register: "request register"
        case .beginSystemSession: "request beginSystemSession"
        case .bufferSizeOverride: "loan"
        case .sampleRateOverride: "rateLoan"
        case .permission: "permission"
        case .describe: "describe"
        case .report: "report"
        case .log: "log"
        case .history: "history"
        case .nowPlaying: "nowPlaying"
        case .keys: "keys"
        case .synchronise: "synchronise"
        case .pong: "pong"
        }
    }

    private static let requests: Set = [
        "hello", "join", "restore", "request register", "request beginSystemSession", "loan", "rateLoan",
        "permission", "describe", "report", "log", "history", "nowPlaying", "keys", "synchronise", "pong",
    ]

    private static func name(of message: ArbiterMessage) -> String {
        switch message {
        case .reply: "reply"
        case .failure: "failure"
        case .long: "long"
        case .notice: "notice"
        case .status: "status"
        case .application: "application"
        case .devices: "devices"
        case .hardware: "hardware"
        case .ping: "ping"
        case .decision: "decision"
        }
    }

    private static let messages: Set = [
        "reply", "failure", "long", "notice", "status", "application", "devices", "hardware", "ping", "decision",
    ]

    // MARK: JSON

    private static func rewritten<Message: Codable>(_ data: Data, as type: Message.Type) throws -> Data {
        try JSONEncoder().encode(JSONDecoder().decode(type, from: data))
    }

    private static func object(_ data: Data) throws -> Any {
        try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    }

    /// Returns the paths of all values that differ between the example and its re-encoded form. An
    /// example may omit values with a default.
    private static func lost(of shown: Any, in written: Any?, at path: String = "") -> [String] {
        switch (shown, written) {
        case (let shown as [String: Any], let written as [String: Any]):
            shown.sorted { $0.key < $1.key }.flatMap { lost(of: $1, in: written[$0], at: "\(path).\($0)") }
        case (let shown as [Any], let written as [Any]):
            shown.count == written.count
                ? zip(shown, written).enumerated().flatMap { lost(of: $1.0, in: $1.1, at: "\(path)[\($0)]") } : [path]
        case (let shown as NSObject, let written as NSObject): shown == written ? [] : [path]
        default: [path]
        }
    }

    private static func keys(of value: Any) -> Set<String> {
        switch value {
        case let object as [String: Any]:
            object.reduce(into: Set(object.keys)) { $0.formUnion(keys(of: $1.value)) }
        case let array as [Any]: array.reduce(into: []) { $0.formUnion(keys(of: $1)) }
        default: []
        }
    }

    private static func grouped(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : "\(number / 1_000),\(String("\(1_000 + number % 1_000)".dropFirst()))"
    }
}

/// The page and its packets.
private struct ProtocolPage {
    struct Packet {
        /// Whether a client sends the packet; otherwise the arbiter sends it.
        var isAsked: Bool
        var json: String
    }

    let text: String
    let packets: [Packet]

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        text = try String(contentsOf: root.appending(path: "Documentation/Protocol.md"), encoding: .utf8)
        var packets: [Packet] = []
        var isWithin = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isWithin = line == "```packets"
            } else if isWithin, line.hasPrefix("> ") || line.hasPrefix("< ") {
                packets.append(Packet(isAsked: line.hasPrefix(">"), json: String(line.dropFirst(2))))
            } else if isWithin, !packets.isEmpty {
                packets[packets.count - 1].json += line
            }
        }
        self.packets = packets
    }

    /// Returns whether the page shows a decision about the action.
    func decides(_ action: String) -> Bool {
        packets.contains { $0.json.contains("\"decision\"") && $0.json.contains("\"action\": \"\(action)\"") }
    }
}
