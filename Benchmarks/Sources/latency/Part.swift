import Foundation
import Processes
import Reporting
import Servers

/// One part of the benchmark.
struct Part: Sendable {
    /// The name for `--only`.
    var name: String
    /// Measures, and prints the results as they arrive. Throws if a result is untrustworthy or a
    /// program is missing. A slow machine is not an error.
    var measure: @Sendable (Run) throws -> Findings

    /// The parts, in the order in which they run.
    static let all = [
        Part(name: "through", measure: Through.measure), Part(name: "command", measure: Commands.measure),
        Part(name: "action", measure: Actions.measure), Part(name: "wake-up", measure: Wakes.measure),
        Part(name: "cable", measure: Cable.measure), Part(name: "gates", measure: Gates.measure),
        Part(name: "xruns", measure: Xruns.measure), Part(name: "cycles", measure: Cycles.measure),
        Part(name: "clients", measure: Clients.measure), Part(name: "streams", measure: Streams.measure),
        Part(name: "tuner", measure: Tuner.measure), Part(name: "notes", measure: Notes.measure),
        Part(name: "inter-app", measure: InterApp.measure), Part(name: "transport", measure: Transport.measure),
        Part(name: "peers", measure: Peers.measure),
    ]

    /// What the child processes of parts execute, by the names given to `Performer`. Each child
    /// process gets a new one.
    static let children: [String: @Sendable () -> ([String]) throws -> [Double]] = [
        BareClient.part: { BareClient().perform }, ProbedApp.part: { ProbedApp().perform },
        Cable.part: { CableApp().perform }, GateApp.part: { GateApp().perform },
        GateRecorder.part: { GateRecorder().perform }, LoadApp.part: { LoadApp().perform },
        LoadBare.part: { LoadBare().perform }, StreamApp.part: { StreamApp().perform },
        NotesApp.part: { NotesApp().perform }, StreamListener.part: { StreamListener().perform },
        TunerApp.part: { TunerApp().perform }, InterAppStage.part: { InterAppStage().perform },
        InterAppNode.part: { InterAppNode().perform }, TransportStage.part: { TransportStage().perform },
        TransportApp.part: { TransportApp().perform },
    ]
}

/// The parameters of the whole run.
struct Run {
    var quick: Bool
    var noise: Noise
    var servers: [ServerKind]
    /// An audiosessiond that the benchmark starts.
    var service: Service
    /// The seconds for streaming files, and for playing voices on jackd -S.
    var streamSeconds: Int
    var xrunSeconds: Int

    /// The periods of live measurements, in the full run and in the quick one.
    var periods: [Int] { quick ? [128] : [64, 128, 256, 512, 1_024] }

    /// Runs `body` on a server of each kind and period; jackd has `loopbacks` loopback ports.
    func onServers(
        periods: [Int]? = nil, loopbacks: Int = 0, _ body: (Server, ServerContext) throws -> Void
    ) throws {
        for kind in servers {
            let context = try ServerContext(kind, service: service.socket)
            let options = loopbacks > 0 && kind != .pipewire ? ["-L", "\(loopbacks)"] : []
            for period in periods ?? self.periods {
                try body(try Server(kind, period: period, in: context, options: options), context)
            }
        }
    }

    /// jackd -S if it is measured: its clients have only one period.
    var strictest: ServerKind { servers.contains(.jackdSync) ? .jackdSync : servers[0] }
}

typealias Measurement = Reporting.Measurement

/// The subjects of most results.
let ours = "swift-audio-session"
let doNothing = "do-nothing JACK client"

extension Conditions {
    /// Creates the conditions of a server of the benchmark.
    init(_ server: Server) {
        self = Conditions(server.kind).with(["period": .whole(server.period)])
    }

    init(_ kind: ServerKind) {
        self = [
            "server": .text(kind.rawValue), "sync": .flag(kind.isSync), "sampleRate": .whole(Server.sampleRate),
        ]
    }
}

extension Findings {
    /// Adds a result from one or more values. Returns its statistics.
    @discardableResult
    mutating func add(
        _ metric: String, _ unit: String, _ values: [Double], _ conditions: Conditions, of subject: String = ours
    ) -> Statistics {
        let statistics = Statistics(values)
        results.append(Measurement(metric, subject, unit, statistics, conditions))
        return statistics
    }
}

extension Statistics {
    subscript(paths: KeyPath<Statistics, Double>...) -> [Double] { paths.map { self[keyPath: $0] } }
}

/// One or more cells of a table.
protocol Cell {
    var cells: [String] { get }
}

extension String: Cell {
    var cells: [String] { [self] }
}

extension Int: Cell {
    var cells: [String] { ["\(self)"] }
}

extension Double: Cell {
    var cells: [String] { [digits(self)] }
}

extension ClosedRange: Cell where Bound == Double {
    var cells: [String] { ["\(digits(lowerBound)) … \(digits(upperBound))"] }
}

extension ServerKind: Cell {
    var cells: [String] { [rawValue] }
}

extension Server: Cell {
    var cells: [String] { [kind.rawValue, "\(period)"] }
}

extension Array: Cell where Element: Cell {
    var cells: [String] { flatMap(\.cells) }
}

extension Optional: Cell where Wrapped: Cell {
    var cells: [String] { map(\.cells) ?? [""] }
}

extension Table {
    mutating func row(_ cells: any Cell...) { add(cells.flatMap(\.cells)) }
}

extension Figure {
    /// Returns the part of the values, in percent, that is at most as great as each of them, as at
    /// most so many points, including the last.
    static func shares(_ values: [Double], points: Int = 200) -> [(Double, Double)] {
        let step = max(1, values.count / points)
        return values.sorted().enumerated().filter { ($0.offset + 1) % step == 0 || $0.offset == values.count - 1 }.map
        {
            ($0.element, Double($0.offset + 1) / Double(values.count) * 100)
        }
    }

    /// Returns a panel for each kind of server that has lines.
    static func panels(_ title: (ServerKind) -> String = \.rawValue, _ lines: (ServerKind) -> [Line]) -> [Panel] {
        ServerKind.allCases.map { Panel(title: title($0), lines: lines($0)) }.filter { !$0.lines.isEmpty }
    }

    static let blue = "#0060ad", red = "#a2142f", orange = "#d95319", green = "#2f8e4b", violet = "#7e2f8e"
    static let yellow = "#edb120", grey = "#777777"
}

/// Returns the frames from one time to another, for clocks that wrap.
func frames(from first: UInt32, to second: UInt32) -> Int { Int(Int32(bitPattern: second &- first)) }

/// Returns whether a program is found on PATH.
func isInstalled(_ program: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
    }
}
