import ArbiterTesting
import SessionPolicy
import TestRandom
import TestSupport
import Testing

@Suite("A scenario of a Swift app and of a C app", .serialized)
struct ScenarioTests {
    @Test("A random scenario gives both the same results, decisions, events, states and samples")
    func random() async throws {
        var counts = ScenarioTrial.Counts()
        for number in 0..<TestLength.times(10, long: 200) {
            let trial = try ScenarioTrial(Scenario(seed: TestSeed.ofCase(UInt64(number)), count: 40))
            do { try await trial.run() } catch { Issue.record("\(TestSeed.text), scenario \(number): \(error)") }
            counts.add(trial.counts)
        }
        #expect(counts.steps > 300 && counts.refusals > 0 && counts.events > 0, "\(TestSeed.text): \(counts)")
        #expect(counts.frames > 100_000 && counts.scaledFrames > 0, "\(TestSeed.text): \(counts)")
    }

    private static let short = Scenario([
        .configure(Configuration(category: .playback)), .activate, .prefer(.sampleRate(48_000)),
        .system(.setVolume(0.5)),
    ])

    @Test("A short scenario without a fault has no difference")
    func faultless() async throws {
        let trial = try ScenarioTrial(Self.short)
        try await trial.run()
        #expect(trial.counts.steps == 4 && trial.counts.events > 0 && trial.counts.scaledFrames > 0)
    }

    @Test("Each kind of difference is found, at its step", arguments: faults)
    func fault(_ kind: ScenarioDifference.Kind, _ fault: ScenarioTrial.Fault) async throws {
        let trial = try ScenarioTrial(Self.short, fault: fault)
        do {
            try await trial.run()
            Issue.record("The fault was not found: \(fault)")
        } catch let difference as ScenarioDifference {
            #expect(difference.kind == kind && difference.step == fault.step, "\(difference)")
            #expect(difference.description.contains("step \(fault.step)"), "\(difference)")
        }
    }

    static let faults: [(ScenarioDifference.Kind, ScenarioTrial.Fault)] = [
        // A refusal instead of a success.
        (.result, .init(step: 2, replacement: .prefer(.sampleRate(5)))),
        (
            .decision,
            .init(step: 0, replacement: .configure(.init(category: .playback, requestedOptions: .mixWithOthers)))
        ),
        (.decision, .init(step: 3, replacement: .system(.setVolume(0.25)))),
        (.event, .init(step: 3, forgetsEvent: true)),
        (.state, .init(step: 3, altersView: true)),
        (.samples, .init(step: 3, altersSample: true)),
    ]
}

extension ScenarioTrial.Counts {
    fileprivate mutating func add(_ other: Self) {
        steps += other.steps
        refusals += other.refusals
        events += other.events
        frames += other.frames
        scaledFrames += other.scaledFrames
    }
}
