import Foundation
import Reporting
import Servers

/// The conditions of frames that are compared with each other.
struct GateGroup: Hashable {
    var server: ServerKind
    var period: Int
    var arbitration: GateArbitration
    var threads: GateThreads
    /// The name of a case, or of what follows it.
    var what: String
}

/// The results under one set of conditions.
struct GateFinding {
    var heard: [GateTrace.Hearing] = []
    /// The number of repetitions because of disturbances.
    var repeated = 0
    /// The times that an activation blocked, in ms.
    var blocked: [Double] = []

    static func + (a: GateFinding, b: GateFinding) -> GateFinding {
        GateFinding(heard: a.heard + b.heard, repeated: a.repeated + b.repeated, blocked: a.blocked + b.blocked)
    }

    func values(_ path: KeyPath<GateTrace.Hearing, Int>) -> [Double] { heard.map { Double($0[keyPath: path]) } }

    /// The final levels, relative to full level.
    var decibels: [Double] { heard.map { 20 * log10(Double($0.level / GateChange.level)) } }

    /// The delays in frames, relative to the first cycle that begins after the grant; negative if
    /// the grant still affected the cycle that had just begun.
    var late: [Double] { heard.map { Double($0.first - $0.ideal) } }
}

/// The changes after the end of an event.
enum GateReturn {
    /// The interrupted session activates again; timed from its grant.
    static let resume = "resume"
    /// The silent switch is off again.
    static let unmute = "unmute"
    /// The prompt has ended: the slow ramp back.
    static let unduck = "unduck"
    /// `setActive(true)` of a session with a waiting voice; timed from the call.
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

    func together(where isIncluded: (GateGroup) -> Bool) -> GateFinding {
        all.filter { isIncluded($0.key) }.values.reduce(GateFinding(), +)
    }

    /// Returns values in periods.
    func periods(_ path: KeyPath<GateTrace.Hearing, Int>, less frames: Int = 0, where isIncluded: (GateGroup) -> Bool)
        -> [Double]
    {
        all.filter { isIncluded($0.key) }.flatMap { group, finding in
            finding.values(path).map { ($0 - Double(frames)) / Double(group.period) }
        }
    }
}

extension GateFindings {
    static let subject = "swift-audio-session"
    static let ideal = "ideal: the first frame of the next cycle"

    /// The measurements of all groups, in a fixed order.
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
        let sortablePeriod = period < 100 ? "00\(period)" : period < 1_000 ? "0\(period)" : "\(period)"
        return "\(server.rawValue) \(sortablePeriod) \(arbitration.rawValue) \(threads.rawValue) \(what)"
    }

    /// Whether this is a case, and not what follows one.
    var isCase: Bool { GateCase(rawValue: what) != nil }
    var isSilence: Bool { isCase && what != GateCase.prompt.rawValue }
}
