import Reporting

extension Figure {
    /// Plots the share of requests whose sound was on the port within that many periods, with a
    /// panel for each period.
    static func requests(_ series: [PeersPlay.Series]) -> Figure {
        let panels = Set(series.map(\.period)).sorted().map { period in
            Panel(title: "\(period) frames of a period", lines: lines(series.filter { $0.period == period }))
        }
        return Figure(
            "latency-peers", size: "\(max(1_000, 650 * panels.count)),850",
            caption: """
                Play request → first frame on the port: share of requests against periods. Grey: a bare client, which is the bound; \
                unbroken: swift-audio-session. Below 0: the cycle that the request found ran late.
                """,
            panels: panels,
            settings: """
                set key outside below center maxcols 2 Left reverse samplen 3 noenhanced
                set xlabel "periods"
                set ylabel "% of requests"
                set yrange [0:100]
                set xrange [-0.5:6]
                """)
    }

    private static func lines(_ series: [PeersPlay.Series]) -> [Line] {
        var (ours, others) = (ourColors[...], peerColors[...])
        return series.map { series in
            let isOurs = series.title.hasPrefix(Peer.ours.name)
            let isBound = series.title.hasPrefix(Peer.bare.name)
            let color = isBound ? nil : isOurs ? ours.popFirst() : others.popFirst()
            return Line(
                title: series.title, color: color ?? "#777777", dashed: !isOurs,
                points: shares(series.frames.map { $0 / Double(series.period) }), symbol: isOurs ? 7 : 1)
        }
    }

    private static let ourColors = ["#0060ad", "#00a0e9", "#002f6c"]
    private static let peerColors = ["#d95319", "#edb120", "#7e2f8e", "#2f8e4b", "#a2142f", "#e377c2", "#8c564b"]

    /// Returns at most fifty points of a curve, including the last.
    private static func shares(_ values: [Double]) -> [(Double, Double)] {
        let sorted = values.sorted()
        let stride = max(1, sorted.count / 50)
        return sorted.enumerated().filter { ($0.offset + 1) % stride == 0 || $0.offset == sorted.count - 1 }.map {
            ($0.element, Double($0.offset + 1) / Double(sorted.count) * 100)
        }
    }
}
