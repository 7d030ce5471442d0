/// A promise of the project, and the value that this run reached.
package struct Target: Encodable {
    package enum Verdict: String, Encodable {
        case met, missed
        /// The machine's noise, or too few repetitions, allow no conclusion.
        case undecided
    }

    package var what: String
    package var unit: String
    /// The limit: an upper bound, or a lower bound with `atLeast`.
    package var wanted: Double
    package var atLeast: Bool
    /// A further aim beyond the target.
    package var aim: Double?
    package var reached: Double
    /// The range of the value without the machine's noise; nil if the value is exact, such as a
    /// number of frames.
    package var range: ClosedRange<Double>?
    /// The name in README's table; nil if the target is not listed there.
    package var headline: String?

    package init(
        what: String, unit: String, wanted: Double, atLeast: Bool = false, aim: Double? = nil, reached: Double,
        range: ClosedRange<Double>? = nil, headline: String? = nil
    ) {
        (self.what, self.unit, self.wanted, self.atLeast) = (what, unit, wanted, atLeast)
        (self.aim, self.reached, self.range, self.headline) = (aim, reached, range, headline)
    }

    /// The verdict; undecided if the noise could have caused the result.
    package var verdict: Verdict { verdict(on: wanted) }
    package var aimVerdict: Verdict? { aim.map(verdict(on:)) }

    private func verdict(on bound: Double) -> Verdict {
        let range = range ?? reached...reached
        let ends = [range.lowerBound, range.upperBound].map { atLeast ? $0 >= bound : $0 <= bound }
        return ends == [true, true] ? .met : ends == [false, false] ? .missed : .undecided
    }

    private enum CodingKeys: String, CodingKey {
        case what, unit, wanted, atLeast, aim, reached, low, high, met, aimMet, verdict, aimVerdict, headline
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(what, forKey: .what)
        try container.encode(unit, forKey: .unit)
        try container.encode(wanted, forKey: .wanted)
        try container.encode(atLeast, forKey: .atLeast)
        try container.encodeIfPresent(aim, forKey: .aim)
        try container.encode(reached, forKey: .reached)
        try container.encodeIfPresent(range?.lowerBound, forKey: .low)
        try container.encodeIfPresent(range?.upperBound, forKey: .high)
        try container.encode(verdict == .met, forKey: .met)
        try container.encodeIfPresent(aimVerdict.map { $0 == .met }, forKey: .aimMet)
        try container.encode(verdict, forKey: .verdict)
        try container.encodeIfPresent(aimVerdict, forKey: .aimVerdict)
        try container.encodeIfPresent(headline, forKey: .headline)
    }

    /// Prints all targets at the end of a run.
    package static func say(_ targets: [Target], quick: Bool) {
        let width = targets.map(\.what.count).max() ?? 0
        var table = Table(
            "Targets\(quick ? " (quick: proves nothing)" : "")",
            note: "undecided: within the machine's noise, which is as large as the difference",
            [.text("what", width), .text("unit", 7), "target", "aim", "reached", .text("met", 20)])
        targets.forEach { table.add($0.cells) }
    }

    private var cells: [String] {
        let sign = atLeast ? "≥ " : "≤ "
        let aimed = aimVerdict == .met ? ", and the aim" : ""
        let words = [Verdict.met: "yes" + aimed, .missed: "NO", .undecided: "undecided"]
        return [what, unit, sign + digits(wanted), aim.map { sign + digits($0) } ?? "", digits(reached)]
            + [words[verdict] ?? ""]
    }

    /// Returns a summary such as "5 of 9 targets met, 1 undecided".
    package static func summary(_ targets: [Target]) -> String {
        let undecided = targets.count { $0.verdict == .undecided }
        return "\(targets.count { $0.verdict == .met }) of \(targets.count) targets met"
            + (undecided > 0 ? ", \(undecided) undecided" : "")
    }
}
