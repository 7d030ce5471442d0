/// A cost with a fixed part and a part per item: where a curve on logarithmic axes bends, and how
/// steep it is before and after that.
package struct Fit: Sendable {
    package let fixed: Double
    package let each: Double

    /// Fits a straight line with least squares of relative errors, so that small costs weigh as
    /// much as great ones. Returns nil for fewer than two different counts.
    package init?(_ points: [(count: Double, cost: Double)]) {
        let weighted = points.filter { $0.cost > 0 }.map { (x: $0.count, y: $0.cost, w: 1 / ($0.cost * $0.cost)) }
        let sum = weighted.reduce(0) { $0 + $1.w }
        guard sum > 0 else { return nil }
        let (meanX, meanY) = (
            weighted.reduce(0) { $0 + $1.w * $1.x } / sum, weighted.reduce(0) { $0 + $1.w * $1.y } / sum
        )
        let spread = weighted.reduce(0) { $0 + $1.w * ($1.x - meanX) * ($1.x - meanX) }
        guard spread > 0 else { return nil }
        each = weighted.reduce(0) { $0 + $1.w * ($1.x - meanX) * ($1.y - meanY) } / spread
        fixed = meanY - each * meanX
    }

    /// The count from which on the items cost more than the fixed part; nil if there is none.
    package var bend: Double? { each > 0 && fixed > 0 ? fixed / each : nil }

}

/// The fit of a curve, for the table of bends.
package struct Growth {
    package var curve: String
    package var subject: String
    /// The unit of the cost, and the name of the items.
    package var unit: String
    package var each: String
    package var fit: Fit

    /// Returns nil if the points make no line.
    package init?(
        _ curve: String, _ subject: String, unit: String, each: String, _ points: [(count: Double, cost: Double)]
    ) {
        guard let fit = Fit(points) else { return nil }
        (self.curve, self.subject, self.unit, self.each, self.fit) = (curve, subject, unit, each, fit)
    }

    /// Prints and returns the table.
    package static func table(_ growths: [Growth]) -> Table {
        func width(_ text: KeyPath<Growth, String>) -> Int { growths.map { $0[keyPath: text].count }.max() ?? 0 }
        var table = Table(
            "Where the curves bend: each as a fixed part and so much for each one more",
            note:
                "bend: from so many on, they cost more than the fixed part; by the least relative squares of the medians",
            [.text("curve", width(\.curve)), .text("subject", width(\.subject)), .text("unit", 4)]
                + [Table.Column("fixed", width: 7), Table.Column("for each", width: 8)]
                + [.text("one more", width(\.each)), Table.Column("bend", width: 6)])
        for growth in growths {
            table.add(
                [growth.curve, growth.subject, growth.unit, digits(growth.fit.fixed), digits(growth.fit.each)]
                    + [growth.each, growth.fit.bend.map(digits) ?? ""])
        }
        return table
    }
}
