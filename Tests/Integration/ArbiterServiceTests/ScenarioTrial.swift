import ArbiterTesting
import SessionPolicy
import TestSupport

/// Where a Swift app and a C app that play one scenario differ.
struct ScenarioDifference: Error, CustomStringConvertible {
    enum Kind: Sendable { case result, decision, event, state, samples }
    var kind: Kind
    var step: Int
    var description: String
}

/// Plays a scenario with a Swift app and with a C app, each at its own service, and compares after
/// each step what the calls returned, what the arbiters decided, what the apps were notified of,
/// what they and the arbiters know, and every bit of the samples.
final class ScenarioTrial {
    /// A fault of the C side, which the trial must find.
    struct Fault: Sendable {
        var step: Int
        var replacement: ScenarioStep?
        var forgetsEvent = false
        var altersView = false
        var altersSample = false
    }
    private let scenario: Scenario
    private let fault: Fault?
    private let sides: [ScenarioSide]
    /// Whether both apps were connected to an output after the last step.
    private var wasConnected = true
    /// The frames that are not compared: the Swift app crossfades when it is connected to an output
    /// or to none.
    private var crossfade = 0
    private(set) var counts = Counts()

    /// What was compared.
    struct Counts: Equatable {
        var steps = 0
        var refusals = 0
        var events = 0
        var frames = 0
        /// Frames to which a gate has applied a gain other than 0 and 1.
        var scaledFrames = 0
    }

    init(_ scenario: Scenario, fault: Fault? = nil) throws {
        (self.scenario, self.fault) = (scenario, fault)
        let samples = Signal.counting(frames: scenario.frames.reduce(0, +) + 1)
        var server: SwiftScenarioClient?
        let swiftSide = try ScenarioSide { socket in
            let client = try SwiftScenarioClient(socket, playing: samples)
            server = client
            return client
        }
        guard let server else { throw TrialError("There is no Swift app.") }
        sides = [swiftSide, try ScenarioSide { try CScenarioClient($0, playing: samples, on: server) }]
    }

    /// Throws the first difference.
    func run() async throws {
        for step in scenario.steps.indices {
            do { try await play(step) } catch let error as ScenarioDifference {
                throw ScenarioDifference(
                    kind: error.kind, step: step,
                    description: """
                        Scenario \(scenario.seed), step \(step) (\(scenario.steps[step])): \(error.description)
                        Steps before: \(scenario.steps[..<step].suffix(12).map { "\($0)" }.joined(separator: "\n  "))
                        """)
            }
        }
    }

    private func play(_ step: Int) async throws {
        let results = try zip([scenario.steps[step], replacement(at: step) ?? scenario.steps[step]], sides).map {
            try $1.perform($0)
        }
        try compare(.result, step, results.map { $0?.description ?? "does not apply" })
        counts.steps += 1
        counts.refusals += results.contains { $0?.code != nil } ? 1 : 0
        try settleBoth()
        try compare(.decision, step, try sides.map { try $0.takeDecisions().joined(separator: "\n") })
        var events: [[String]] = []
        for side in sides { events.append(await side.client.takeEvents()) }
        if fault?.step == step, fault?.forgetsEvent == true { events[1] = Array(events[1].dropLast()) }
        counts.events += events[0].count
        try compare(.event, step, events.map { $0.joined(separator: ", ") })
        try compare(.state, step, try sides.map { try $0.state().joined(separator: "\n") })
        try compareViews(step)
        try compareSamples(step)
        try settleBoth()
    }

    private func replacement(at step: Int) -> ScenarioStep? { fault?.step == step ? fault?.replacement : nil }

    private func settleBoth() throws { for side in sides { try side.settle() } }

    private func compareViews(_ step: Int) throws {
        var views = sides.map(\.client.view)
        if fault?.step == step, fault?.altersView == true { views[1].volume -= 0.5 }
        try compare(.state, step, views.map { "\($0)" })
    }

    private func compare(_ kind: ScenarioDifference.Kind, _ step: Int, _ texts: [String]) throws {
        guard texts[0] != texts[1] else { return }
        let lines = texts.map { $0.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
        let common = Set(lines[0]).intersection(lines[1])
        let rest = lines.map { list in list.filter { !common.contains($0) }.joined(separator: "\n         ") }
        throw ScenarioDifference(
            kind: kind, step: step, description: "\(kind)\n  Swift: \(rest[0])\n  C:     \(rest[1])")
    }

    // MARK: Samples

    private func compareSamples(_ step: Int) throws {
        let isConnected = !sides[1].client.view.outputs.isEmpty
        if isConnected != wasConnected { crossfade += 512 }
        wasConnected = isConnected
        let frames = scenario.frames[step]
        guard frames > 0, let period = sides[0].client.period else { return }
        var outputs = try sides.map { try $0.client.render(frames, period: period) }
        if fault?.step == step, fault?.altersSample == true, let last = outputs[1].last {
            outputs[1][frames - 1] = last.nextUp
        }
        guard crossfade == 0 else {
            crossfade = max(0, crossfade - frames)
            return
        }
        counts.frames += frames
        counts.scaledFrames += outputs[0].count { ($0 * 1_048_576).rounded() != $0 * 1_048_576 }
        let bits = outputs.map { $0.map(\.bitPattern) }
        guard let frame = bits[0].indices.first(where: { bits[0][$0] != bits[1][$0] }) else { return }
        let count = bits[0].indices.count { bits[0][$0] != bits[1][$0] }
        throw ScenarioDifference(
            kind: .samples, step: step,
            description: """
                \(count) of \(frames) samples, first at frame \(frame): Swift \(outputs[0][frame]), C \(outputs[1][frame])
                """)
    }
}
