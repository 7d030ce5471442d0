import ArbiterTesting
import Foundation
import SessionArbiter
import SessionPolicy

/// An app at its own service, beside a trusted client with another session.
final class ScenarioSide {
    let client: any ScenarioClient
    private let service: Service
    private let witness: RawClient
    private let other: SessionID
    /// The system sessions that have begun and not ended.
    private var systemSessions: [SessionID] = []
    private var log: ScenarioLog

    /// Without limits that depend on the time that a scenario takes.
    private static let configuration = """
        rules: {idle-release: 0, idle-duck-release: 0}
        server: {suspend-on-idle: 0}
        """

    init(_ makeClient: (_ socket: String) throws -> any ScenarioClient) throws {
        let folder = try TrialFolder()
        service = try Service(in: folder, configuration: try Service.trusting(nil, Self.configuration))
        witness = try RawClient(folder.socket)
        let settings = try witness.hello().settings
        other = try witness.makeSession().id
        try witness.ask(.setRecordPermission(Scenario.app, .granted))
        log = ScenarioLog(settings.policy)
        client = try makeClient(folder.socket)
        try settle()
        _ = try takeDecisions()
    }

    /// Plays a step; nil if it does not apply, on either side.
    func perform(_ step: ScenarioStep) throws -> ScenarioResult? {
        if let result = try client.perform(step) { return result }
        let answer: RawClient.Answer
        switch step {
        case .system(let action): answer = try witness.answer(to: .submit(action))
        case .begin(let rank, let isRinging):
            answer = try witness.answer(to: .beginSystemSession(rank: rank, isRinging: isRinging, isKept: false))
            if case .success(let reply) = answer, let id = reply.session { systemSessions.append(id) }
        case .acceptCall:
            guard let id = systemSessions.last else { return nil }
            answer = try witness.answer(to: .submit(.acceptCall(id)))
        case .end(let shouldResume):
            guard let id = systemSessions.popLast() else { return nil }
            answer = try witness.answer(to: .submit(.endSystemSession(id, shouldResume: shouldResume)))
        case .other(let step): answer = try witness.answer(to: .submit(action(of: step)))
        default: return nil
        }
        return switch answer {
        case .success: .done
        case .failure(let error):
            ScenarioResult(
                code: error.refusal?.code.rawValue ?? error.code.rawValue, rule: error.refusal?.rule.rawValue ?? "",
                by: error.refusal?.by?.rawValue ?? 0, message: error.message)
        }
    }

    private func action(of step: ScenarioStep.OtherStep) -> PolicyAction {
        switch step {
        case .configure(let new):
            .configure(
                other,
                .category(
                    new.category, mode: new.mode, options: new.requestedOptions,
                    routeSharingPolicy: new.routeSharingPolicy))
        case .activate: .activate(other)
        case .deactivate(let notifies): .deactivate(other, notifyOthers: notifies)
        case .play(let isPlaying): .setRunning(other, isPlaying)
        }
    }

    /// Returns when nothing that follows from the steps so far is outstanding.
    func settle() throws {
        var last: UInt64?
        var decisions = try witness.report().decisions
        while decisions != last {
            last = decisions
            try client.settle()
            decisions = try witness.report().decisions
        }
    }

    /// The decisions since the last call that have changed anything, without times.
    func takeDecisions() throws -> [String] {
        guard let decisions = try witness.ask(.log(after: log.count, follows: false)).decisions else {
            throw TrialError("The reply has no log.")
        }
        return try decisions.compactMap { try log.follow($0) }
    }

    /// What the arbiter knows of all sessions, the device and the apps, without times.
    func state() throws -> [String] {
        let report = try witness.report()
        return try report.sessions.map { try ScenarioLog.text($0.status) }
            + [try ScenarioLog.text(report.system)] + report.apps.map { try ScenarioLog.text($0) }
    }
}

/// The decisions of an arbiter, which are replayed to find out which of them changed anything: a
/// request that does not is sent by the one library and left out by the other.
struct ScenarioLog {
    private let policy: Policy
    private var state = PolicyState()
    private(set) var count: UInt64 = 0

    init(_ settings: PolicySettings) { policy = Policy(settings: settings) }

    /// Returns the decision as text; nil if nothing has changed.
    mutating func follow(_ decision: Decision) throws -> String? {
        guard decision.number == count + 1 else { throw TrialError("Decision \(decision.number) follows \(count).") }
        count = decision.number
        guard case .granted(let effects) = decision.outcome else { return try Self.text(decision) }
        let next = try policy.apply(decision.event, to: state).state
        defer { state = next }
        return next == state && effects.isEmpty ? nil : try Self.text(decision)
    }

    /// Returns a value as JSON, without times and serial numbers.
    static func text(_ value: some Encodable) throws -> String {
        let object = withoutTimes(try JSONSerialization.jsonObject(with: try JSONEncoder().encode(value)))
        let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        return String(decoding: data, as: UTF8.self)
    }

    private static let times: Set = [
        "time", "since", "unusedSince", "number", "lastPlayed", "foregroundLentUntil",
    ]

    private static func withoutTimes(_ value: Any) -> Any {
        if let members = value as? [String: Any] {
            return members.filter { !times.contains($0.key) }.mapValues(withoutTimes)
        }
        return (value as? [Any]).map { $0.map(withoutTimes) } ?? value
    }
}
