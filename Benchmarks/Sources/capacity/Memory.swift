import AudioRendering
import CCapacity
import Processes
import Reporting

/// The memory of a core, and of an engine around it, without sample data, and whether it stays
/// constant during operation.
struct Memory {
    enum Subject: String, CaseIterable {
        /// One voice stops and starts again before each cycle, and each voice gets a gain.
        case core
        /// Each voice gets a gain in each period.
        case engine
    }

    struct Finding {
        var mebibytes: Double
        /// The growth in bytes during the run: the least of three runs, since a leak shows in each.
        var growth: Int
        var cycles: Int
    }

    private(set) var findings: [Subject: Finding] = [:]
    private(set) var tables: [Table] = []
    private static let voices = 256

    mutating func measure(quick: Bool) throws {
        findings[.core] = try Self.measureCore(cycles: quick ? 1000 : 20000)
        findings[.engine] = try Self.measureEngine(cycles: quick ? 300 : 2000)
        var table = Table(
            "Memory for \(Self.voices) voices that play, without sample data",
            [.text("of", 6), "MiB", "cycles", Table.Column("bytes more after them")])
        for subject in Subject.allCases {
            guard let finding = findings[subject] else { continue }
            table.add([subject.rawValue, digits(finding.mebibytes), "\(finding.cycles)", "\(finding.growth)"])
        }
        tables = [table]
    }

    private static func measureCore(cycles: Int) throws -> Finding {
        let graph = try Graph(Topology(voices: voices, commands: 1024))
        func run(_ cycles: Int) throws {
            for cycle in 0..<cycles {
                guard capacity_graph_restart(graph.handle, UInt32(cycle % voices)),
                    capacity_graph_command(graph.handle, UInt32(voices), false)
                else { throw BenchmarkError.noGraph(graph.topology, "cannot restart a voice") }
                _ = graph.cycle()
            }
        }
        return Finding(
            mebibytes: Double(capacity_core_bytes(UInt32(voices))) / 1_048_576, growth: try growth(cycles, run),
            cycles: cycles)
    }

    private static func growth(_ cycles: Int, _ run: (Int) throws -> Void) throws -> Int {
        try run(300)
        let growths = try (0..<3).map { _ in
            let before = Int(capacity_allocated_bytes())
            try run(cycles)
            return Int(capacity_allocated_bytes()) - before
        }
        return growths.min() ?? 0
    }

    /// Measures an engine with its voices, its bus and its driver.
    private static func measureEngine(cycles: Int) throws -> Finding {
        let buffer = try AudioBuffer([[Float](repeating: 0.001, count: 1024)])
        func make() throws -> (OfflineDriver, AudioEngine, [Voice]) {
            let driver = OfflineDriver()
            let engine = try AudioEngine(driver: driver)
            try engine.start()
            guard let gate = OpenGate() else { throw BenchmarkError.lost("a gate, out of memory") }
            let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
            let voices = try (0..<voices).map { _ in
                try engine.play(.buffer(buffer, startFrame: 0, loop: .forever), on: bus)
            }
            return (driver, engine, voices)
        }
        // Memory that only the first engine takes, such as that of libraries, does not count. The
        // first engine stays alive, so that none of it is released meanwhile.
        let first = try make()
        defer { first.1.stop() }
        let before = capacity_allocated_bytes()
        let (driver, engine, playing) = try make()
        defer { engine.stop() }
        let mebibytes = Double(capacity_allocated_bytes() - before) / 1_048_576
        func run(_ cycles: Int) throws {
            for cycle in 0..<cycles {
                for voice in playing { try voice.setGain(cycle.isMultiple(of: 2) ? 0.5 : 1, rampFrames: 64) }
                try driver.render(frames: 256)
            }
        }
        return Finding(mebibytes: mebibytes, growth: try growth(cycles, run), cycles: cycles)
    }

    var measurements: [Measurement] {
        Subject.allCases.flatMap { subject -> [Measurement] in
            guard let finding = findings[subject] else { return [] }
            let parameters = MixConditions(voices: Self.voices, gain: .flat).parameters.with([
                "of": .text(subject.rawValue)
            ])
            return [
                Measurement("memory.mib", "swift-audio-session", "MiB", finding.mebibytes, parameters),
                Measurement(
                    "memory.growth_bytes", "swift-audio-session", "bytes", Double(finding.growth),
                    parameters.with(["cycles": .whole(finding.cycles)])),
            ]
        }
    }
}
