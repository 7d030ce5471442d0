import CCapacity
import Reporting

/// What is not mixing: idle voices, commands, memory.
struct SmallCosts {
    private(set) var idlePercent: Statistics?
    private(set) var perCommand: [Int: Statistics] = [:]
    private(set) var mebibytes = 0.0
    private static let idleVoices = 16384
    private static let conditions = Conditions(gain: .flat)

    mutating func measure(quick: Bool, coldBytes: Int) throws {
        say("\nBeside the mixing: 256 voices playing, 64 frames, hot, mono, flat; differences of pairs of cycles")
        let repetitions = quick ? 500 : 10000
        let scene = Self.conditions.scene(coldBytes: coldBytes)
        let samples = try Samples(scene, for: Self.conditions)
        try measureIdle(scene, samples, repetitions)
        for count in [64, 256, 1024] {
            try measureCommands(count, scene, samples, repetitions)
        }
        mebibytes = Double(capacity_core_bytes(256)) / 1_048_576
        say("  a core for 256 voices: \(column(mebibytes, 0)) MiB without sample data")
    }

    /// One core with idle voices and one without, by turns, whoever went second going first the next time.
    private mutating func measureIdle(_ scene: capacity_scene_t, _ samples: Samples, _ repetitions: Int) throws {
        var crowded = scene
        crowded.idle_voices = UInt32(Self.idleVoices)
        let without = try CorePlayer(scene, samples, for: Self.conditions)
        let with = try CorePlayer(crowded, samples, for: Self.conditions)
        var percents: [Double] = []
        for repetition in -20..<repetitions {
            let first = repetition.isMultiple(of: 2) ? with : without
            let second = repetition.isMultiple(of: 2) ? without : with
            _ = first.cycle()
            let early = first.cycle()
            _ = second.cycle()
            let late = second.cycle()
            let (more, less) = repetition.isMultiple(of: 2) ? (early, late) : (late, early)
            if repetition >= 0 { percents.append((more / less - 1) * 100) }
        }
        let statistics = Statistics(percents)
        idlePercent = statistics
        say("  \(Self.idleVoices) idle voices: \(column(statistics.median, 0)) % of the cycle")
    }

    /// Cycles with gains to apply, minus cycles without; each right after a cycle that is not counted.
    private mutating func measureCommands(
        _ count: Int, _ scene: capacity_scene_t, _ samples: Samples, _ repetitions: Int
    ) throws {
        let core = try CorePlayer(scene, samples, for: Self.conditions)
        var costs: [Double] = []
        for repetition in -20..<repetitions {
            _ = core.cycle()
            let without = core.cycle()
            guard capacity_core_command(core.handle, UInt32(count)) else {
                throw BenchmarkError.silent(Self.conditions, "\(count) commands found no room")
            }
            let with = core.cycle()
            if repetition >= 0 { costs.append((with - without) / Double(count)) }
        }
        let statistics = Statistics(costs)
        perCommand[count] = statistics
        say(
            "  \(column(count, 5)) commands a cycle: \(column(statistics.median, 0)) ns each, p99 \(column(statistics.p99, 0))"
        )
    }

    var measurements: [Measurement] {
        let core = Subject.core.name
        let idle = idlePercent.map {
            Measurement("idle.percent_of_cycle", core, "%", $0, Self.conditions, idle: Self.idleVoices)
        }
        let commands = perCommand.sorted { $0.key < $1.key }.map {
            Measurement("ring.ns_per_command", core, "ns", $0.value, Self.conditions, commands: $0.key)
        }
        let memory = Measurement("memory.mib", core, "MiB", Statistics([mebibytes]), Self.conditions)
        return (idle.map { [$0] } ?? []) + commands + [memory]
    }
}
