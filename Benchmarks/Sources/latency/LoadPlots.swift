import Reporting
import Servers

extension Figure {
    /// Plots the cumulative xruns and late cycles of all slots, with a panel for each load.
    static func xruns(_ all: [(LoadXruns.Case, [LoadSlot])]) -> Figure {
        let panels = all.map { scene, slots in
            func line(_ title: String, _ kind: LoadSlotKind, dashed: Bool, _ value: (LoadSlot) -> Int) -> Line {
                var (points, seconds, sum) = ([(0.0, 0.0)], 0.0, 0.0)
                for slot in slots where slot.kind == kind {
                    seconds += slot.seconds
                    sum += Double(value(slot))
                    points.append((seconds, sum))
                }
                return Line(
                    title: title, color: kind == .ours ? "#0060ad" : "#777777", dashed: dashed, points: points,
                    symbol: dashed ? 6 : 7)
            }
            return Panel(
                title: "\(scene.voices) voices, \(scene.kind.rawValue)",
                lines: [
                    line("ours: xruns", .ours, dashed: false, \.xruns),
                    line("ours: late cycles", .ours, dashed: true, \.late),
                    line("control: xruns", .control, dashed: false, \.xruns),
                    line("control: late cycles", .control, dashed: true, \.late),
                ])
        }
        return Figure(
            "latency-xruns", size: "\(420 * panels.count),560",
            caption: """
                Xruns and late cycles so far, against the seconds that each was there: an app that plays, and a client that does nothing, by turns on the \
                same server.
                """,
            panels: panels,
            settings: """
                set key below Left reverse samplen 3
                set bmargin 9
                set xlabel "seconds on the server"
                set ylabel "so far"
                set xrange [0:*]
                set yrange [-0.1:4<*]
                """)
    }

    /// Plots the processor time of a cycle against the number of clients.
    static func clients(_ lines: [Line]) -> Figure {
        Figure(
            "latency-clients", size: "800,600",
            caption:
                "Processor time a cycle, of the server and all clients together, against the number of clients; grey: clients that do nothing.",
            panels: [Panel(title: "Clients on one server, 256 frames", lines: lines)],
            settings: """
                set key top left Left reverse samplen 3
                set logscale xy 2
                set logscale y 10
                set xlabel "clients"
                set ylabel "µs a cycle, median"
                set xrange [0.8:10]
                """)
    }
}
