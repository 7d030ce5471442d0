import Reporting

/// What the project promises, and what this run reached.
struct Target: Encodable {
    var what: String
    var unit: String
    /// At most this; at least this where `atLeast`.
    var wanted: Double
    var atLeast = false
    /// What to aim at after that.
    var aim: Double?
    var reached: Double
    var met: Bool { atLeast ? reached >= wanted : reached <= wanted }
    var aimMet: Bool? { aim.map { atLeast ? reached >= $0 : reached <= $0 } }

    private enum CodingKeys: String, CodingKey { case what, unit, wanted, atLeast, aim, reached, met, aimMet }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(what, forKey: .what)
        try container.encode(unit, forKey: .unit)
        try container.encode(wanted, forKey: .wanted)
        try container.encode(atLeast, forKey: .atLeast)
        try container.encodeIfPresent(aim, forKey: .aim)
        try container.encode(reached, forKey: .reached)
        try container.encode(met, forKey: .met)
        try container.encodeIfPresent(aimMet, forKey: .aimMet)
    }

    static let heading =
        padded("what", 66) + column("target", 12) + column("aim", 10) + column("reached", 10) + "  met"

    var line: String {
        let sign = atLeast ? "≥ " : "≤ "
        let aim = self.aim.map { sign + column($0, 0) } ?? ""
        let verdict = met ? (aimMet == true ? "yes, and the aim" : "yes") : "NO"
        return padded(what, 66) + column(sign + column(wanted, 0), 12) + column(aim, 10) + column(reached, 10)
            + "  \(verdict)"
    }
}

extension Target {
    /// All of them, from what was measured; one that was not measured is left out.
    static func all(costs: Costs, halfPeriod: HalfPeriod, cycles: CycleTimes, small: SmallCosts) -> [Target] {
        var targets: [Target] = []
        for data in DataKind.allCases {
            targets += mixing(costs, data)
        }
        for data in DataKind.allCases {
            let (core, bound) = (halfPeriod.count(.core, data), halfPeriod.count(.bound, data))
            targets.append(
                Target(
                    what: "voices in half a 64-frame period, \(data); aim: 80 % of the bare loop's", unit: "voices",
                    wanted: 4096, atLeast: true, aim: 0.8 * Double(bound), reached: Double(core)))
        }
        if let idle = small.idlePercent {
            targets.append(
                Target(
                    what: "16,384 idle voices beside 256, % of the cycle", unit: "%", wanted: 2, reached: idle.median))
        }
        if let worst = small.perCommand.values.map(\.median).max() {
            targets.append(
                Target(what: "a drained command, ns, at the worst count", unit: "ns", wanted: 20, reached: worst))
        }
        for data in DataKind.allCases {
            if let cycle = cycles.statistics(.core, Conditions(data: data)) {
                targets.append(
                    Target(
                        what: "cycle of 256 voices, 64 frames, p99.9, % of the period, \(data)", unit: "%", wanted: 25,
                        aim: 10, reached: cycle.p999))
            }
        }
        targets.append(
            Target(what: "memory of a core for 256 voices, MiB", unit: "MiB", wanted: 16, reached: small.mebibytes))
        return targets
    }

    private static func mixing(_ costs: Costs, _ data: DataKind) -> [Target] {
        var targets: [Target] = []
        let comparison = costs[Conditions(data: data)]
        if let ratio = comparison?.ratio(to: .openal) {
            targets.append(
                Target(
                    what: "256 ramping voices, 64 frames, \(data): cost over OpenAL's", unit: "1", wanted: 0.25,
                    reached: ratio.median))
        }
        if let ratio = comparison?.ratio(to: .bound) {
            targets.append(
                Target(
                    what: "256 ramping voices, 64 frames, \(data): cost over the bare loop's", unit: "1",
                    wanted: data == .hot ? 3 : 2, aim: data == .hot ? 1.5 : 1.25, reached: ratio.median))
        }
        if let ratio = costs[Conditions(data: data, pitched: true)]?.ratio(to: .openal) {
            targets.append(
                Target(
                    what: "256 pitched voices, 64 frames, \(data): cost over OpenAL's cubic", unit: "1", wanted: 0.5,
                    aim: 0.25, reached: ratio.median))
        }
        return targets
    }
}
