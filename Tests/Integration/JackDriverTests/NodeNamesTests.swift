import AudioRendering
import TestRandom
import Testing

@testable import JackDriver

/// Nodes by the names of their ports.
@Suite("Nodes by the names of their ports")
struct NodeNamesTests {
    private func nodes(outputs: [String] = [], inputs: [String] = [], midi: [String] = []) -> [NodeDescription] {
        NodeNames(outputs: outputs, inputs: inputs, midiInputs: midi).nodes(without: "own")
    }

    @Test("Each kind has the ports that it needs, in the order of their numbers")
    func kinds() {
        let found = nodes(
            outputs: (1...11).reversed().map { "b:Hall (effect) out_\($0)" } + [
                "a:x: y (generator) out_1", "c:S (instrument) out_1",
            ],
            inputs: ["b:Hall (effect) in_1"], midi: ["c:S (instrument) midi"])
        #expect(
            found == [
                NodeDescription(kind: .generator, name: "x: y", client: "a", outputs: ["a:x: y (generator) out_1"]),
                NodeDescription(
                    kind: .effect, name: "Hall", client: "b", inputs: ["b:Hall (effect) in_1"],
                    outputs: (1...11).map { "b:Hall (effect) out_\($0)" }),
                NodeDescription(
                    kind: .instrument, name: "S", client: "c", outputs: ["c:S (instrument) out_1"],
                    midiInput: "c:S (instrument) midi"),
            ])
    }

    @Test("What is incomplete, too long, or only looks like a node is none")
    func incomplete() {
        let long = String(repeating: "n", count: 41)
        for outputs in [
            ["a:T (generator) out_2"], ["a:T (generator) out_1", "a:T (generator) out_3"], ["a:T (generator) out_01"],
            ["a:T (generator) out_0"], ["a:T (generator) out_-1"], ["a:T (generator) out_"], ["a:T (generator) out_+1"],
            ["a:T (generator)out_1"], ["a:T (Generator) out_1"], ["a:T generator out_1"], ["a: (generator) out_1"],
            ["a:(generator) out_1"], ["T (generator) out_1"], ["own:T (generator) out_1"], ["a b:out_1"], [""], [":"],
            [" "], ["a:\(long) (generator) out_1"], ["a:T (effect) out_1"], ["a:T (instrument) out_1"],
            ["a:T (generator) out_99999999999999999999"], (1...65).map { "a:T (generator) out_\($0)" },
        ] {
            #expect(nodes(outputs: outputs).isEmpty, "\(outputs)")
        }
        #expect(nodes(inputs: ["a:T (effect) in_1"]).isEmpty)
        #expect(nodes(outputs: (1...64).map { "a:T (generator) out_\($0)" }).count == 1)
        var random = SeededGenerator(seed: TestSeed.current)
        let pieces = ["a", ":", " ", "(effect)", "(", ")", "out_1", "in_", "1", "midi", "ä", "_", "generator"]
        for _ in 0..<5_000 {
            let names = (0..<4).map { _ in
                (0..<random.below(9)).map { _ in pieces[random.below(pieces.count)] }.joined()
            }
            for node in nodes(outputs: names, inputs: names, midi: names) { #expect(node.isValid) }
        }
    }

    @Test("Ports for other programs get the highest free channels")
    func channels() {
        func block(_ first: Int, _ count: Int) -> PortBlock {
            PortBlock(PortGroup(direction: .output, name: "p\(first)", channels: count), first: first)
        }
        let taken = [block(0, 2), block(60, 2)]
        #expect(PortBlock.highestFreeChannels(2, avoiding: taken, limit: 64) == 62..<64)
        #expect(PortBlock.highestFreeChannels(3, avoiding: taken, limit: 64) == 57..<60)
        #expect(PortBlock.highestFreeChannels(58, avoiding: taken, limit: 64) == 2..<60)
        #expect(PortBlock.highestFreeChannels(59, avoiding: taken, limit: 64) == nil)
        #expect(PortBlock.highestFreeChannels(65, avoiding: [], limit: 64) == nil)
    }
}
