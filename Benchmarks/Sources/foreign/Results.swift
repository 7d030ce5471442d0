import Foundation
import PositionSignals
import Reporting

/// The results so far, and their tables.
struct Results {
    static let subject = "swift-audio-session"

    private let quantum: Int
    private var findings = Findings()
    private var measured: [(program: Program, outcome: Outcome)] = []
    private var absent: [(program: Program, reason: String)] = []
    private var ducked: Table
    private var held: Table

    init(quantum: Int) {
        self.quantum = quantum
        let name = Table.Column.text("program", 12)
        ducked = Table(
            "Lowered by a prompt, and given back",
            note: "frames of 48 kHz; from the activation of a session that ducks others, and from its deactivation",
            [
                name, .text("interface", 9), Table.Column("n", width: 3), "lower p50", "max", "depth p50", "max",
                "higher p50", "max", "level p50", "max", "dB", Table.Column("deviation"),
            ])
        held = Table(
            "Held by a ringing call, and continued when it ends",
            note: """
                frames of 48 kHz; position: of the first sound, less that after the last frame at full level; unheard: the same, \
                less the frames of the fade
                """,
            [
                name, .text("control", 18), Table.Column("n", width: 3), "lower p50", "max", "silence p50", "max",
                "sound p50", "max", "level p50", "max", Table.Column("position p50"), "min", "max",
                Table.Column("unheard p50"), "min", "max",
            ])
    }

    func isMeasured(_ program: Program) -> Bool { measured.contains { $0.program.name == program.name } }

    mutating func add(_ program: Program, absence: String) {
        absent.append((program, absence))
        say("\(program.name): \(absence)")
    }

    mutating func add(_ program: Program, failure: String) {
        add(program, absence: failure)
        findings.failures.append(program.name)
    }

    mutating func add(failure: String) {
        findings.failures.append(failure)
    }

    mutating func add(_ program: Program, _ outcome: Outcome) {
        measured.append((program, outcome))
        for failure in outcome.failures { say("\(program.name): \(failure)") }
        if outcome.duckings.isEmpty || outcome.holdings.isEmpty { findings.failures.append(program.name) }
        addDuckings(program, outcome)
        addHoldings(program, outcome)
    }

    private func conditions(_ program: Program, _ outcome: Outcome) -> Conditions {
        [
            "program": .text(program.name), "version": .text(outcome.version), "interface": .text(program.interface),
            "control": .text(outcome.control), "quantum": .whole(quantum),
            "sampleRate": .whole(PositionSignal.sampleRate),
        ]
    }

    /// Adds a result for each metric, and returns the statistics.
    private mutating func add(
        _ program: Program, _ outcome: Outcome, _ values: [(metric: String, unit: String, values: [Double])]
    ) -> [Statistics] {
        values.map { metric, unit, values in
            let statistics = Statistics(values)
            findings.results.append(
                Measurement(metric, Self.subject, unit, statistics, conditions(program, outcome)))
            return statistics
        }
    }

    private mutating func addDuckings(_ program: Program, _ outcome: Outcome) {
        guard !outcome.duckings.isEmpty else { return }
        func frames(_ value: KeyPath<Passage.Ducking, Int>) -> [Double] {
            outcome.duckings.map { Double($0[keyPath: value]) }
        }
        let found = add(
            program, outcome,
            [
                ("foreign.frames_to_lower", "frames", frames(\.toLower)),
                ("foreign.frames_to_depth", "frames", frames(\.toDepth)),
                ("foreign.frames_to_higher", "frames", frames(\.toHigher)),
                ("foreign.frames_to_level", "frames", frames(\.toLevel)),
                ("foreign.depth_db", "dB", outcome.duckings.map(\.decibels)),
                ("foreign.deviation", "1", outcome.duckings.map { Double($0.deviation) }),
            ])
        ducked.add(
            [program.name, program.interface, "\(outcome.duckings.count)"]
                + found[..<4].flatMap { [digits($0.median), digits($0.maximum)] }
                + [digits(found[4].median), found[5].maximum == 0 ? "exact" : String(format: "%.0e", found[5].maximum)])
    }

    private mutating func addHoldings(_ program: Program, _ outcome: Outcome) {
        guard !outcome.holdings.isEmpty else { return }
        func frames(_ value: KeyPath<Passage.Holding, Int>) -> [Double] {
            outcome.holdings.map { Double($0[keyPath: value]) }
        }
        let found = add(
            program, outcome,
            [
                ("foreign.frames_to_fade", "frames", frames(\.toLower)),
                ("foreign.frames_to_silence", "frames", frames(\.toSilence)),
                ("foreign.frames_to_sound", "frames", frames(\.toSound)),
                ("foreign.frames_to_full_level", "frames", frames(\.toLevel)),
                ("foreign.position_error_frames", "frames", frames(\.positionError)),
                ("foreign.unheard_frames", "frames", frames(\.unheard)),
            ])
        held.add(
            [program.name, outcome.control, "\(outcome.holdings.count)"]
                + found[..<4].flatMap { [digits($0.median), digits($0.maximum)] }
                + found[4...].flatMap { [digits($0.median), digits($0.minimum), digits($0.maximum)] })
    }

    // MARK: - Summary

    /// Returns all findings, with the summary by program.
    func findings(_ noise: Noise, figure: Figure?) -> Findings {
        var findings = findings
        findings.tables = [byProgram, ducked, held, failed]
        findings.targets = targets(noise)
        findings.figures = figure.map { [$0] } ?? []
        return findings
    }

    /// The table that the documentation shows.
    private var byProgram: Table {
        var table = Table(
            "By program",
            note: """
                quanta of \(quantum) frames at 48 kHz (\(digits(Double(quantum) / 48)) ms): median, and maximum in parentheses; position in \
                frames
                """,
            [
                .text("program", 22), .text("control", 18), Table.Column("n", width: 5), "prompt → lower",
                "end → higher",
                "call → silence", "end → sound", "position error", "unheard frames",
            ])
        for (program, outcome) in measured {
            let name = "\(program.name) \(outcome.version)"
            guard !outcome.duckings.isEmpty, !outcome.holdings.isEmpty else {
                table.add([name, outcome.control, "0", outcome.failures.first ?? "not measured"])
                continue
            }
            func quanta(_ values: [Int]) -> String {
                let statistics = Statistics(values.map { Double($0) / Double(quantum) })
                return "\(digits(statistics.median)) (\(digits(statistics.maximum)))"
            }
            func frames(_ values: [Int]) -> String {
                let statistics = Statistics(values.map(Double.init))
                return "\(digits(statistics.median)) (\(digits(statistics.maximum)))"
            }
            let counts = [outcome.duckings.count, outcome.holdings.count]
            table.add([
                name, outcome.control,
                Set(counts).count == 1 ? "\(counts[0])" : counts.map(String.init).joined(separator: ", "),
                quanta(outcome.duckings.map(\.toLower)), quanta(outcome.duckings.map(\.toHigher)),
                quanta(outcome.holdings.map(\.toSilence)), quanta(outcome.holdings.map(\.toSound)),
                frames(outcome.holdings.map(\.positionError)), frames(outcome.holdings.map(\.unheard)),
            ])
        }
        for (program, reason) in absent { table.add([program.name, "not measured", "0", reason]) }
        return table
    }

    /// The runs that count in no other table.
    private var failed: Table {
        var table = Table(
            "Runs in which a program was not lowered and given back, or not silenced and continued",
            [.text("program", 12), .text("what was heard", 40)])
        for (program, outcome) in measured { for failure in outcome.failures { table.add([program.name, failure]) } }
        return table
    }

    /// Wake-ups that the machine delays count as noise.
    private func targets(_ noise: Noise) -> [Target] {
        let milliseconds = Double(quantum) / Double(PositionSignal.sampleRate) * 1_000
        func target(_ what: String, _ frames: [Int], _ wanted: Double, headline: String) -> Target? {
            guard let worst = frames.max() else { return nil }
            let range = noise.range(ofTail: Statistics(frames.map { Double($0) / Double(quantum) * milliseconds }))
            return Target(
                what: "\(what), worst of \(frames.count)", unit: "quanta", wanted: wanted,
                reached: Double(worst) / Double(quantum),
                range: range.lowerBound
                    / milliseconds...max(range.upperBound / milliseconds, Double(worst) / Double(quantum)),
                headline: "\(headline) (worst)")
        }
        let duckings = measured.flatMap(\.outcome.duckings)
        let holdings = measured.flatMap(\.outcome.holdings)
        // The programs that do not pause by themselves.
        let streams = measured.filter { !$0.outcome.control.contains("MPRIS") }.flatMap(\.outcome.holdings)
        // The fade takes 60 ms.
        let fade = (60 / milliseconds).rounded(.up)
        return [
            target(
                "prompt → first lower frame of a program that does not use the library", duckings.map(\.toLower), 3,
                headline: "prompt → first lower frame of a program that does not use the library"),
            target(
                "call → silence of such a program, after a fade of \(Int(fade)) quanta", holdings.map(\.toSilence),
                fade + 3, headline: "call → silence of such a program, after a fade of \(Int(fade)) quanta"),
            Target(
                what: "runs in which a program that does not use the library was not given back as it was",
                unit: "runs", wanted: 0, reached: Double(measured.map(\.outcome.failures.count).reduce(0, +))),
            target(
                "frames of a held stream that nobody hears", streams.map { abs($0.unheard) }, 3,
                headline: "frames of a held stream that nobody hears"),
        ].compactMap(\.self)
    }
}

extension Passage.Ducking {
    var decibels: Double { 20 * log10(Double(depth)) }
}
