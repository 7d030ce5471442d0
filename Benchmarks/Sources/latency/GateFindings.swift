import Foundation
import Reporting
import Servers

/// Whose frames are told of one another.
struct GateGroup: Hashable {
    var server: ServerKind
    var period: Int
    var arbitration: GateArbitration
    var threads: GateThreads
    /// What is heard: a case's name, or of what follows it.
    var what: String
}

/// What was heard under one set of conditions.
struct GateFinding {
    var heard: [GateTrace.Hearing] = []
    /// How often it had to be done again.
    var repeated = 0
    /// For how long an activation blocked, in ms.
    var blocked: [Double] = []

    static func + (a: GateFinding, b: GateFinding) -> GateFinding {
        GateFinding(heard: a.heard + b.heard, repeated: a.repeated + b.repeated, blocked: a.blocked + b.blocked)
    }

    func values(_ path: KeyPath<GateTrace.Hearing, Int>) -> [Double] { heard.map { Double($0[keyPath: path]) } }

    /// Of what stays, beside full level.
    var decibels: [Double] { heard.map { 20 * log10(Double($0.level / GateChange.level)) } }

    /// How many frames later than the first cycle that begins after the verdict; less where it came into the one that had just begun.
    var late: [Double] { heard.map { Double($0.first - $0.ideal) } }
}

/// What is heard when something else is over.
enum GateReturn {
    /// The session that was interrupted activates again: from its grant.
    static let resume = "resume"
    /// The silent switch is off again.
    static let unmute = "unmute"
    /// The prompt is over: the slow way back.
    static let unduck = "unduck"
    /// `setActive(true)` of a session whose voice waits: from the call.
    static let activation = "activation"
}

struct GateFindings {
    private(set) var all: [GateGroup: GateFinding] = [:]

    mutating func add(_ heard: GateTrace.Hearing?, _ group: GateGroup, blocked: Double? = nil) {
        guard let heard else {
            all[group, default: GateFinding()].repeated += 1
            return
        }
        all[group, default: GateFinding()].heard.append(heard)
        if let blocked { all[group, default: GateFinding()].blocked.append(blocked) }
    }

    func count(_ group: GateGroup) -> Int { all[group]?.heard.count ?? 0 }
    func repeated(_ group: GateGroup) -> Int { all[group]?.repeated ?? 0 }

    func together(where isWanted: (GateGroup) -> Bool) -> GateFinding {
        all.filter { isWanted($0.key) }.values.reduce(GateFinding(), +)
    }

    /// In the unit of periods.
    func periods(_ path: KeyPath<GateTrace.Hearing, Int>, less frames: Int = 0, where isWanted: (GateGroup) -> Bool)
        -> [Double]
    {
        all.filter { isWanted($0.key) }.flatMap { group, finding in
            finding.values(path).map { ($0 - Double(frames)) / Double(group.period) }
        }
    }
}

extension GateFindings {
    static let subject = "swift-audio-session"
    static let ideal = "ideal: the first frame of the next cycle"

    /// Every group's, in a fixed order.
    var measurements: [Measurement] {
        all.sorted { $0.key.order < $1.key.order }.flatMap { group, finding in
            finding.heard.isEmpty ? [] : measurements(group, finding)
        }
    }

    private func measurements(_ group: GateGroup, _ finding: GateFinding) -> [Measurement] {
        let conditions = group.conditions
        func measurement(_ metric: String, _ unit: String, _ values: [Double], of subject: String = Self.subject)
            -> Measurement
        {
            Measurement(metric, subject, unit, Statistics(values), conditions)
        }
        if group.what == GateReturn.activation {
            return [
                measurement("session.frames_to_first_frame", "frames", finding.values(\.first)),
                measurement("session.frames_to_first_frame", "frames", finding.values(\.ideal), of: Self.ideal),
                measurement(
                    "session.periods_to_first_frame", "periods",
                    finding.values(\.first).map { $0 / Double(group.period) }),
                measurement("session.ms_to_first_frame", "ms", finding.heard.map(\.milliseconds)),
                measurement("session.activation_blocked_ms", "ms", finding.blocked),
            ]
        }
        let falls = GateCase(rawValue: group.what) != nil
        let metric = falls ? "gate.frames_to_attenuation" : "gate.frames_to_return"
        let whole =
            switch group.what {
            case GateCase.prompt.rawValue: "gate.frames_to_duck"
            case GateReturn.unduck, GateReturn.resume, GateReturn.unmute: "gate.frames_to_full_level"
            default: "gate.frames_to_silence"
            }
        let level =
            group.what == GateCase.prompt.rawValue ? [measurement("gate.duck_db", "dB", finding.decibels)] : []
        return level + [
            measurement(metric, "frames", finding.values(\.first)),
            measurement(metric, "frames", finding.values(\.ideal), of: Self.ideal),
            measurement(whole, "frames", finding.values(\.settled)),
            measurement("gate.frames_beyond_next_cycle", "frames", finding.late),
            measurement(
                falls ? "gate.ms_to_attenuation" : "gate.ms_to_return", "ms", finding.heard.map(\.milliseconds)),
        ]
    }
}

extension GateGroup {
    var conditions: Conditions {
        [
            "server": .text(server.rawValue), "sync": .flag(server.isSync), "period": .whole(period),
            "sampleRate": .whole(Server.sampleRate), "arbitration": .text(arbitration.rawValue),
            "threads": .text(threads.rawValue), "case": .text(what),
        ]
    }

    fileprivate var order: String {
        let place = period < 100 ? "00\(period)" : period < 1_000 ? "0\(period)" : "\(period)"
        return "\(server.rawValue) \(place) \(arbitration.rawValue) \(threads.rawValue) \(what)"
    }

    /// A case, not what follows one.
    var isCase: Bool { GateCase(rawValue: what) != nil }
    var isSilence: Bool { isCase && what != GateCase.prompt.rawValue }
}
