import Reporting

/// The cost of each feature of a bus, and cycle times against the number of buses and sends.
struct Mixer {
    struct Finding {
        var layout: MixerLayout
        var difference: Difference
    }

    struct Point {
        var layout: MixerLayout
        /// Microseconds of a cycle, and of the additions as its lower bound.
        var cycle: Statistics
        var additions: Statistics
    }

    private(set) var findings: [Finding] = []
    private(set) var points: [Point] = []
    private(set) var tables: [Table] = []
    static let bound = "bare additions"

    func finding(_ layout: MixerLayout) -> Finding? { findings.first { $0.layout == layout } }

    mutating func measure(quick: Bool) throws {
        try measureEach(quick: quick)
        try measureMany(quick: quick)
    }

    // MARK: Single features

    private static func layouts(quick: Bool) -> [MixerLayout] {
        let buses = (quick ? [2] : [1, 2, 6]).map { MixerLayout(channels: $0, feature: .nested) }
        let plain = MixerLayout.Feature.allCases.filter { ![.plain, .nested, .insertOne, .late].contains($0) }
        let delays = [64, 1024].map { MixerLayout(feature: .late, latency: $0) }
        return buses + plain.map { MixerLayout(feature: $0) } + delays
    }

    private mutating func measureEach(quick: Bool) throws {
        var table = Table(
            "Mixer: what each one costs, beside \(MixerLayout().buses) buses of as many channels, 64 frames, hot",
            note: "Differences of pairs of cycles; bare: the same differences of additions and nothing else",
            [.text("one more", 28), "channels", "ns", "low", "high", "bare ns", "over bare", Table.Column("% cycle")])
        for layout in Self.layouts(quick: quick) {
            let finding = try Self.measure(layout, quick: quick)
            findings.append(finding)
            let (more, name) = (finding.difference, layout.feature.rawValue)
            table.add(
                [name + (layout.latency > 0 ? " of \(layout.latency) frames" : ""), "\(layout.channels)"]
                    + [
                        more.nanoseconds.median, more.nanoseconds.interval.lowerBound,
                        more.nanoseconds.interval.upperBound,
                    ].map(digits)
                    + [more.bound.map { digits($0.median) } ?? "", more.ratio.map { digits($0.median) } ?? ""]
                    + [digits(more.percent.median)])
        }
        tables.append(table)
    }

    private static func measure(_ layout: MixerLayout, quick: Bool) throws -> Finding {
        // The position in memory has a greater effect than the feature itself: uses several of
        // each, alternately.
        let pairs = try (0..<(quick ? 4 : 16)).map { _ in
            (with: try MixerPlayer(layout), without: try MixerPlayer(layout.without))
        }
        var (with, without) = pairs[0]
        let isBound = [.nested, .sendPre, .sendPost].contains(layout.feature)
        let difference = Difference(
            { with.cycle() }, { without.cycle() },
            bounds: isBound ? ({ with.additions() }, { without.additions() }) : nil, count: layout.count,
            repetitions: quick ? 1000 : 10000, seconds: quick ? 0.3 : 2,
            turn: { (with, without) = pairs[$0 / 2 % pairs.count] })
        for pair in pairs {
            try pair.with.check()
            try pair.without.check()
        }
        return Finding(layout: layout, difference: difference)
    }

    // MARK: Many buses

    /// The features whose number grows.
    static let growing: [(feature: MixerLayout.Feature, title: String)] = [
        (.plain, "buses, a voice in each"), (.nested, "the same, each through one more"),
        (.sendPost, "the same, each with a send"),
    ]

    private mutating func measureMany(quick: Bool) throws {
        var table = Table(
            "Mixer: cycles against the number of buses, 2 channels, 64 frames, hot",
            note: "Microseconds; bare: additions alone, of buses with a voice each",
            [.text("", 33), "buses", "cycle", "p99", "bare", Table.Column("p99")])
        let counts = sequence(first: 1) { $0 * (quick ? 4 : 2) }.prefix { $0 <= 256 }
        for (feature, title) in Self.growing {
            for buses in counts {
                let point = try Self.point(MixerLayout(buses: buses, feature: feature), seconds: quick ? 0.05 : 0.6)
                points.append(point)
                table.add(
                    [title, "\(buses)"]
                        + [point.cycle.median, point.cycle.p99, point.additions.median, point.additions.p99].map(digits)
                )
            }
        }
        tables.append(table)
    }

    /// Measures cycle and additions alternately, each after one that is not timed.
    private static func point(_ layout: MixerLayout, seconds: Double) throws -> Point {
        let player = try MixerPlayer(layout)
        var (cycles, additions): ([Double], [Double]) = ([], [])
        let begun = ContinuousClock.now
        for repetition in -10..<20000 where repetition < 30 || ContinuousClock.now - begun < .seconds(seconds) {
            _ = player.cycle()
            let cycle = player.cycle() / 1000
            _ = player.additions()
            let bare = player.additions() / 1000
            guard repetition >= 0 else { continue }
            cycles.append(cycle)
            additions.append(bare)
        }
        try player.check()
        return Point(layout: layout, cycle: Statistics(cycles), additions: Statistics(additions))
    }

    func points(_ feature: MixerLayout.Feature) -> [Point] { points.filter { $0.layout.feature == feature } }

    var growths: [Growth] {
        let cycles = Self.growing.compactMap { feature, title in
            Growth(
                "mixer: \(title)", Subject.core.name, unit: "µs", each: "bus",
                points(feature).map { (Double($0.layout.buses), $0.cycle.median) })
        }
        let bare = Growth(
            "mixer: \(Self.growing[0].title)", Self.bound, unit: "µs", each: "bus",
            points(.plain).map { (Double($0.layout.buses), $0.additions.median) })
        return cycles + (bare.map { [$0] } ?? [])
    }

    var measurements: [Measurement] {
        findings.flatMap { finding -> [Measurement] in
            let (more, parameters) = (finding.difference, finding.layout.parameters)
            let bare = more.bound.map { Measurement("mixer.ns", Self.bound, "ns", $0, parameters) }
            let ratio = more.ratio.map {
                Measurement(
                    "mixer.cost_ratio", Subject.core.name, "1", $0, parameters.with(["to": .text(Self.bound)]))
            }
            return [
                Measurement("mixer.ns", Subject.core.name, "ns", more.nanoseconds, parameters),
                Measurement("mixer.percent_of_cycle", Subject.core.name, "%", more.percent, parameters),
            ] + [bare, ratio].compactMap { $0 }
        }
            + points.flatMap { point in
                [
                    Measurement("mixer.cycle_us", Subject.core.name, "µs", point.cycle, point.layout.parameters),
                    Measurement("mixer.cycle_us", Self.bound, "µs", point.additions, point.layout.parameters),
                ]
            }
    }
}
