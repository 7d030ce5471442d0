import Reporting

/// One figure for each growing parameter, with logarithmic axes and the bound.
extension Plots {
    func drawFrames(_ costs: Costs, _ slices: Slices) throws -> Figure {
        let panels = DataKind.allCases.map { data in
            let lines = Subject.allCases.enumerated().map { index, subject in
                Plot.Line(
                    title: subject.name, color: Self.colors[index], dashed: subject == .bound,
                    points: slices.frames.filter { $0.data == data }.compactMap { conditions in
                        costs[conditions]?.cost(subject).map { (Double(conditions.frames), $0.median) }
                    })
            }
            return Plot.Panel(title: "256 voices, mono, ramping, \(data)", lines: lines)
        }
        return try plot.draw(
            "capacity-scale-frames", size: "1500,700",
            caption: "Cost per voice and frame against the frames of a period",
            panels: panels,
            settings: """
                set key below Left reverse samplen 3 maxcols 2 title " "
                set logscale x 2
                set logscale y 10
                set format x "%.0f"
                set xlabel "frames of a period" offset 0,0.5
                set ylabel "ns per voice and frame, median"
                set xrange [12:1400]
                set yrange [0.05:100]
                """)
    }

    func draw(_ scale: Scale, _ axis: Scale.Axis, _ idle: Idle) throws -> Figure {
        let what = axis.rawValue.lowercased()
        let curves = scale.curves.filter { $0.axis == axis }
        var lines: [Plot.Line] = []
        for (index, curve) in curves.enumerated() {
            for (name, path) in [("core", \Scale.Point.core), ("bound", \Scale.Point.bound)] {
                lines.append(
                    Plot.Line(
                        title: "\(name): \(curve.title)", color: index == 0 ? Self.colors[0] : Self.colors[2],
                        dashed: name == "bound",
                        points: curve.points.map { (curve.count($0), $0[keyPath: path].median) },
                        symbol: name == "core" ? 7 : 6))
            }
        }
        var panels = [Plot.Panel(title: "\(axis.rawValue) that sound", lines: lines)]
        let most = curves.flatMap { curve in curve.points.map(curve.count) }.max() ?? 1
        if let more = idlePanel(axis, idle) { panels.append(more) }
        return try plot.draw(
            "capacity-scale-\(what)", size: panels.count > 1 ? "1500,700" : "900,700",
            caption: "Cost of a cycle of 64 frames against \(what), beside the additions that they need",
            panels: panels,
            settings: """
                set key below Left reverse samplen 3 maxcols 2 title " "
                set logscale x 2
                set logscale y 10
                set format x "%.0f"
                set xlabel "\(what)" offset 0,0.5
                set ylabel "µs a cycle of 64 frames, median"
                set xrange [0.8:\(1.25 * most)]
                set yrange [*:*]
                """)
    }

    /// Returns a panel of the cost of idle objects, with the line of two per cent of the cycle.
    private func idlePanel(_ axis: Scale.Axis, _ idle: Idle) -> Plot.Panel? {
        let found = idle.findings.compactMap { finding -> (Double, Idle.Finding)? in
            let count = axis == .buses ? finding.idle.buses : axis == .routes ? finding.idle.routes : 0
            return finding.idle.isPlanned && count > 0 ? (Double(count), finding) : nil
        }
        guard !found.isEmpty else { return nil }
        let what = axis.rawValue.lowercased()
        let costs = found.map { ($0.0, max(0.001, $0.1.nanoseconds.median / 1000)) }
        // Percentages and nanoseconds refer to the same cycle.
        let shares = found.filter { $0.1.percent.median > 0 }.map {
            $0.1.nanoseconds.median / $0.1.percent.median * 2 / 1000
        }
        let share = shares.isEmpty ? [] : found.map { ($0.0, Statistics(shares).median) }
        return Plot.Panel(
            title: "Idle \(what) in the plan, beside 256 voices",
            lines: [
                Plot.Line(title: "what they add", color: Self.colors[0], dashed: false, points: costs),
                Plot.Line(title: "2 % of the cycle", color: Self.colors[1], dashed: true, points: share, symbol: 0),
            ],
            settings: "set xlabel \"idle \(what)\" offset 0,0.5\nset ylabel \"µs a cycle more, median\"")
    }

    func drawCommands(_ commands: Commands) throws -> Figure {
        let kinds = Commands.Kind.allCases.enumerated().map { ($0.offset, $0.element, commands.points($0.element)) }
        let each = kinds.flatMap { index, kind, points in
            [
                Plot.Line(
                    title: "core, \(kind.rawValue)", color: Self.commandColors[index], dashed: false,
                    points: points.filter { $0.each.median > 0 }.map { ($0.perSecond, $0.each.median) }),
                Plot.Line(
                    title: "bare ring, \(kind.rawValue)", color: Self.commandColors[index], dashed: true,
                    points: points.compactMap { point in
                        // Omits counts whose time is below the clock's resolution.
                        point.bare.flatMap { $0.median > 0 ? (point.perSecond, $0.median) : nil }
                    },
                    symbol: 6),
            ]
        }
        let cycles = kinds.map { index, kind, points in
            Plot.Line(
                title: kind.rawValue, color: Self.commandColors[index], dashed: false,
                points: points.map { ($0.perSecond, $0.cycle.median) })
        }
        let half = Conditions().periodNanoseconds / 2000
        let bound = Plot.Line(
            title: "half a period", color: Self.colors[1], dashed: true,
            points: (kinds.first?.2 ?? []).map { ($0.perSecond, half) }, symbol: 0)
        return try plot.draw(
            "capacity-scale-commands", size: "1500,700",
            caption:
                "Cost of a command, and of the cycle that takes them, against commands a second (64 frames, 256 voices)",
            panels: [
                Plot.Panel(
                    title: "A command", lines: each, settings: "set ylabel \"ns each, median\"\nset yrange [0.1:3000]"),
                Plot.Panel(
                    title: "The cycle that takes them", lines: cycles + [bound],
                    settings: "set ylabel \"µs a cycle, median\"\nset yrange [1:10000]"),
            ],
            settings: """
                set key below Left reverse samplen 3 maxcols 2 title " "
                set logscale xy 10
                set format x "10^{%L}"
                set xlabel "commands a second" offset 0,0.5
                set xrange [500:3e7]
                """)
    }

    func draw(_ mixer: Mixer) throws -> Figure {
        let cycles = Mixer.growing.enumerated().map { index, growing in
            Plot.Line(
                title: "core: \(growing.title)", color: Self.commandColors[index], dashed: false,
                points: mixer.points(growing.feature).map { (Double($0.layout.buses), $0.cycle.median) })
        }
        let bare = Plot.Line(
            title: "bare additions: buses, a voice in each", color: Self.colors[1], dashed: true,
            points: mixer.points(.plain).map { (Double($0.layout.buses), $0.additions.median) }, symbol: 6)
        return try plot.draw(
            "capacity-scale-mixer", size: "900,700",
            caption: "Cost of a cycle of 64 frames against nested buses and sends, beside the additions that they need",
            panels: [Plot.Panel(title: "Buses of 2 channels under a master", lines: cycles + [bare])],
            settings: """
                set key below Left reverse samplen 3 maxcols 2 title " "
                set logscale x 2
                set logscale y 10
                set format x "%.0f"
                set xlabel "buses" offset 0,0.5
                set ylabel "µs a cycle of 64 frames, median"
                set xrange [0.8:320]
                """)
    }

    private static let commandColors = ["#0060ad", "#d95319", "#7e2f8e"]
}
