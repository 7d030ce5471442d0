import Reporting

/// The cost of each feature of a bus, and cycle times against the number of buses and sends.
struct Mixer: Part {
    mutating func measure(_ run: Run) throws -> Findings {
        var findings = try Self.measureEach(run)
        findings.append(try Self.measureMany(run))
        return findings
    }

    // MARK: Single features

    private static func layouts(quick: Bool) -> [MixerLayout] {
        let buses = (quick ? [2] : [1, 2, 6]).map { MixerLayout(channels: $0, feature: .nested) }
        let plain = MixerLayout.Feature.allCases.filter { ![.plain, .nested, .insertOne, .late].contains($0) }
        let delays = [64, 1024].map { MixerLayout(feature: .late, latency: $0) }
        return buses + plain.map { MixerLayout(feature: $0) } + delays
    }

    private static func measureEach(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Mixer: what each one costs, beside \(MixerLayout().buses) buses of as many channels, 64 frames, hot",
            note: "Differences of pairs of cycles; bare: the same differences of additions and nothing else",
            [.text("one more", 28), "channels", "ns", "low", "high", "bare ns", "over bare", Table.Column("% cycle")])
        for layout in layouts(quick: run.quick) {
            let more = try measure(layout, quick: run.quick)
            let nanoseconds = Statistics(more.nanoseconds)
            var results = [Measurement].compared(
                "mixer.ns", "ns", [(Subject.core.name, more.nanoseconds), (MixerLayout.bound, more.bound)],
                layout.parameters)
            results.append(
                Measurement("mixer.percent_of_cycle", Subject.core.name, "%", more.percent, layout.parameters))
            if let ratio = more.ratio {
                let parameters = layout.parameters.with(["to": .text(MixerLayout.bound)])
                results.append(Measurement("mixer.cost_ratio", Subject.core.name, "1", ratio, parameters))
            }
            findings.results += results
            findings.targets += target(layout, more, run)
            table.add(
                [layout.feature.rawValue + (layout.latency > 0 ? " of \(layout.latency) frames" : "")]
                    + ["\(layout.channels)"]
                    + [nanoseconds.median, nanoseconds.interval.lowerBound, nanoseconds.interval.upperBound].map(digits)
                    + [results.median("mixer.ns", MixerLayout.bound), results.median("mixer.cost_ratio")]
                    + [digits(more.percent.median)])
        }
        findings.tables = [table]
        return findings
    }

    private static func measure(_ layout: MixerLayout, quick: Bool) throws -> Difference {
        // The position in memory has a greater effect than the feature itself: uses several of
        // each, alternately.
        let layouts = [layout, layout.without]
        let pairs = try (0..<(quick ? 4 : 16)).map { _ in try layouts.map { try $0.corePlayer() } }
        let bounds = try pairs.filter { _ in layout.isBound }.map { _ in try layouts.map { try $0.boundPlayer() } }
        let difference = Difference(
            count: layout.count, repetitions: quick ? 1000 : 10000, seconds: quick ? 0.3 : 2
        ) { turn in
            let index = turn / 2 % pairs.count
            return (pairs[index][0], pairs[index][1], bounds.isEmpty ? nil : (bounds[index][0], bounds[index][1]))
        }
        for player in pairs.joined() { try player.check() }
        for player in bounds.joined() { try player.check() }
        return difference
    }

    private static func target(_ layout: MixerLayout, _ more: Difference, _ run: Run) -> [Target] {
        if layout.feature == .nested {
            let channels = "\(layout.channels) \(layout.channels == 1 ? "channel" : "channels")"
            return run.target(
                "one more bus of \(channels), beside \(layout.buses): over clearing and adding", 1.5, more.ratio)
        }
        guard layout.feature == .room else { return [] }
        let (percent, interval) = (more.percent.median, more.percent.interval)
        return [
            Target(
                what: "room for 1,024 sends and 4,096 curves that are not used: % of the cycle", unit: "%", wanted: 2,
                reached: percent,
                range: min(0, interval.lowerBound)...max(interval.upperBound, percent + run.noise.ratio * 100))
        ]
    }

    // MARK: Many buses

    /// The features whose number grows.
    static let growing: [(feature: MixerLayout.Feature, title: String)] = [
        (.plain, "buses, a voice in each"), (.nested, "the same, each through one more"),
        (.sendPost, "the same, each with a send"),
    ]

    private static func measureMany(_ run: Run) throws -> Findings {
        var findings = Findings()
        var table = Table(
            "Mixer: cycles against the number of buses, 2 channels, 64 frames, hot",
            note: "Microseconds; bare: additions alone, of buses with a voice each",
            [.text("", 33), "buses", "cycle", "p99", "bare", Table.Column("p99")])
        let counts = sequence(first: 1) { $0 * (run.quick ? 4 : 2) }.prefix { $0 <= 256 }
        for (feature, title) in growing {
            for buses in counts {
                let layout = MixerLayout(buses: buses, feature: feature)
                let results = try point(layout, seconds: run.quick ? 0.05 : 0.6)
                findings.results += results
                table.add([title, "\(buses)"] + results.flatMap(\.statistics.cells))
            }
        }
        findings.tables = [table]
        let curves = growing.map { ($0, Subject.core.name) } + [(growing[0], MixerLayout.bound)]
        findings.growths = curves.compactMap { growing, subject in
            let points = findings.results.of("mixer.cycle_us", subject, ["feature": .text(growing.feature.rawValue)])
            return Growth("mixer: \(growing.title)", subject, unit: "µs", each: "bus", points.points(against: "buses"))
        }
        return findings
    }

    /// Measures cycle and additions alternately, each after one that is not timed.
    private static func point(_ layout: MixerLayout, seconds: Double) throws -> [Measurement] {
        let players: [any Player] = [try layout.corePlayer(), try layout.boundPlayer()]
        return try Repetition(seconds: seconds).measure(
            players, "mixer.cycle_us", "µs", per: 1000, layout.parameters)
    }

    func figures(_ results: [Measurement]) -> [Figure] { [.mixer(results)] }
}
