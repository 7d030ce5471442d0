import AudioRendering
import CCapacity
import CRenderCore
import Processes
import Reporting

/// The memory of a core, and of an engine around it, without sample data, and whether it stays
/// constant during operation.
struct Memory: Part {
    private static let voices = 256

    /// The memory of an object in bytes, and its growth in a number of cycles.
    private struct Finding {
        var object: String
        var bytes: Int
        var growth: Int
        var cycles: Int
    }

    mutating func measure(_ run: Run) throws -> Findings {
        var findings = Findings()
        let core = try Self.measureCore(cycles: run.quick ? 1000 : 20000)
        let engine = try Self.measureEngine(cycles: run.quick ? 300 : 2000)
        var table = Table(
            "Memory for \(Self.voices) voices that play, without sample data",
            [.text("of", 6), "MiB", "cycles", Table.Column("bytes more after them")])
        for finding in [core, engine] {
            let (object, cycles, growth) = (finding.object, finding.cycles, Double(finding.growth))
            let mebibytes = Double(finding.bytes) / 1_048_576
            table.add([object, digits(mebibytes), "\(cycles)", "\(finding.growth)"])
            let parameters = MixConditions(voices: Self.voices, gain: .flat).parameters.with(["of": .text(object)])
            findings.results += [
                Measurement("memory.mib", Subject.core.name, "MiB", mebibytes, parameters),
                Measurement(
                    "memory.growth_bytes", Subject.core.name, "bytes", growth,
                    parameters.with(["cycles": .whole(cycles)])),
            ]
            findings.targets += [
                Target(
                    what: "memory of the \(object) for 256 voices, without sample data", unit: "MiB", wanted: 16,
                    reached: mebibytes),
                Target(
                    what: "memory of the \(object) that came in \(cycles) cycles", unit: "bytes", wanted: 0,
                    reached: growth),
            ]
        }
        findings.tables = [table]
        return findings
    }

    /// Measures a core with default sizes otherwise. One voice stops and starts again before each
    /// cycle, and each voice gets a gain.
    private static func measureCore(cycles: Int) throws -> Finding {
        var sizes = rcore_config_default()
        (sizes.max_voices, sizes.max_playing) = (UInt32(voices), UInt32(voices))
        let before = capacity_allocated_bytes()
        let core = rcore_create(&sizes, nil)
        let bytes = capacity_allocated_bytes() - before
        rcore_destroy(core)
        let topology = Topology(voices: voices, commands: 1024)
        let player = try topology.corePlayer(topology.mix())
        let growth = try growth(cycles) { cycle in
            try player.restart(cycle % voices)
            var gains = player.gains(voices)
            guard capacity_post(&gains) else { throw BenchmarkError("The queue has no room for \(voices) commands.") }
            _ = player.cycle()
        }
        return Finding(object: "core", bytes: Int(bytes), growth: growth, cycles: cycles)
    }

    /// Returns the growth in bytes during a run: the least of three runs, since a leak shows in
    /// each.
    private static func growth(_ cycles: Int, _ run: (_ cycle: Int) throws -> Void) throws -> Int {
        for cycle in 0..<300 { try run(cycle) }
        let growths = try (0..<3).map { _ in
            let before = Int(capacity_allocated_bytes())
            for cycle in 0..<cycles { try run(cycle) }
            return Int(capacity_allocated_bytes()) - before
        }
        return growths.min() ?? 0
    }

    /// Measures an engine with its voices, its bus and its driver. Each voice gets a gain in each
    /// period.
    private static func measureEngine(cycles: Int) throws -> Finding {
        let buffer = try AudioBuffer([[Float](repeating: 0.001, count: 1024)])
        func make() throws -> (OfflineDriver, AudioEngine, [Voice]) {
            let driver = OfflineDriver()
            let engine = try AudioEngine(driver: driver)
            try engine.start()
            let gate = try Owned.openGate()
            let bus = try engine.makeSessionBus(gate: gate.handle, owner: gate)
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
        let bytes = capacity_allocated_bytes() - before
        let growth = try growth(cycles) { cycle in
            for voice in playing { try voice.setGain(cycle.isMultiple(of: 2) ? 0.5 : 1, rampFrames: 64) }
            try driver.render(frames: 256)
        }
        return Finding(object: "engine", bytes: Int(bytes), growth: growth, cycles: cycles)
    }
}
