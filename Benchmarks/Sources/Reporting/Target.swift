/// A promise of the project, and the value that this run reached.
package struct Target: Codable {
    package enum Verdict: String, Codable {
        case met, missed
        /// The machine's noise, or too few repetitions, allow no conclusion.
        case undecided
    }

    package let what: String
    package let unit: String
    /// The limit: an upper bound, or a lower bound with `atLeast`.
    package let wanted: Double
    package let atLeast: Bool
    /// A further aim beyond the target.
    package let aim: Double?
    package let reached: Double
    /// The range of the value without the machine's noise; nil if the value is exact, such as a
    /// number of frames.
    package let low: Double?
    package let high: Double?
    /// Undecided if the noise could have caused the result.
    package let verdict: Verdict
    package let aimVerdict: Verdict?
    package let met: Bool
    package let aimMet: Bool?
    /// The name in README's table; nil if the target is not listed there.
    package let headline: String?

    package init(
        what: String, unit: String, wanted: Double, atLeast: Bool = false, aim: Double? = nil, reached: Double,
        range: ClosedRange<Double>? = nil, headline: String? = nil
    ) {
        (self.what, self.unit, self.wanted, self.atLeast) = (what, unit, wanted, atLeast)
        (self.aim, self.reached, self.headline) = (aim, reached, headline)
        (low, high) = (range?.lowerBound, range?.upperBound)
        func verdict(on bound: Double) -> Verdict {
            let ends = [range?.lowerBound ?? reached, range?.upperBound ?? reached].map {
                atLeast ? $0 >= bound : $0 <= bound
            }
            return ends == [true, true] ? .met : ends == [false, false] ? .missed : .undecided
        }
        (self.verdict, aimVerdict) = (verdict(on: wanted), aim.map(verdict(on:)))
        (met, aimMet) = (self.verdict == .met, aimVerdict.map { $0 == .met })
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
