import AudioRendering
import TestSupport
import Testing

/// What graphs of buses are refused for, in which words, and that nothing changes then.
@Suite struct BusGraphTests {
    private static func effect(latency: Int = 0) throws -> AudioInsert {
        let scale = Scale(1)
        return try AudioInsert(latencyFrames: latency, context: scale.pointer, owner: scale, function: Scale.render)
    }

    /// Sets a graph on a desk that has one; returns why it is refused, having seen that the one before stands and is heard as before.
    private func refusal(_ graph: BusGraph, on stage: EngineFixture) throws -> String {
        let before = BusGraph(buses: [.init("kept", gain: 0.5)])
        try stage.bus.setGraph(before)
        let kept = try stage.bus.bus("kept")
        let voice = try stage.engine.play(steady(), on: kept)
        _ = try stage.driver.render(frames: 256)
        let error = #expect(throws: AudioEngineError.self) { try stage.bus.setGraph(graph) }
        #expect(stage.bus.graph == before)
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.125 })
        #expect(stage.bus.buses.map(\.slot) == [kept.slot])
        try voice.stop()
        _ = try stage.driver.render(frames: 256)
        return error?.description ?? "it is taken"
    }

    private func refusal(_ buses: [BusGraph.Bus], _ sends: [BusGraph.Send] = []) throws -> String {
        try refusal(BusGraph(buses: buses, sends: sends), on: EngineFixture())
    }

    @Test func `names are not empty, and each is one bus's`() throws {
        #expect(try refusal([.init("")]) == "A bus has an empty name; give each a name of its own.")
        #expect(
            try refusal([.init("drums"), .init("bass"), .init("drums")])
                == "Two buses are called 'drums'; give each a name of its own.")
    }

    @Test func `a bus leads to one that there is`() throws {
        #expect(
            try refusal([.init("drums"), .init("snare", to: "drumz")])
                == """
                Bus 'snare' leads to 'drumz', which there is not; there are 'drums', 'snare'. Without a parent it leads to the session's bus.
                """)
    }

    @Test func `buses lead in no circle, sends included`() throws {
        #expect(
            try refusal([.init("x"), .init("c", to: "a"), .init("a", to: "b"), .init("b", to: "a")])
                == """
                The buses lead in a circle: a → b → a. Lead one of them elsewhere, or take the send away that closes it.
                """)
        #expect(
            try refusal([.init("a", to: "a")])
                == "The buses lead in a circle: a → a. Lead one of them elsewhere, or take the send away that closes it."
        )
        #expect(
            try refusal(
                [.init("echo"), .init("hall"), .init("voice")],
                [.init(from: "echo", to: "hall"), .init(from: "hall", to: "echo"), .init(from: "voice", to: "echo")])
                    == """
                    The buses lead in a circle: echo → hall → echo. Lead one of them elsewhere, or take the send away that closes it.
                    """)
    }

    @Test func `a send is between two buses that there are, once`() throws {
        #expect(
            try refusal([.init("voice")], [.init(from: "voice", to: "hall")])
                == "The send from 'voice' to 'hall' needs 'hall', which there is not; there are 'voice'.")
        #expect(
            try refusal([.init("hall")], [.init(from: "voice", to: "hall")])
                == "The send from 'voice' to 'hall' needs 'voice', which there is not; there are 'hall'.")
        #expect(
            try refusal([.init("voice")], [.init(from: "voice", to: "voice")])
                == "Bus 'voice' sends to itself; send it to another one.")
        #expect(
            try refusal(
                [.init("voice"), .init("hall")],
                [.init(from: "voice", to: "hall"), .init(from: "voice", to: "hall", isPreFader: true)])
                == "There are two sends from 'voice' to 'hall'; make one of them, and set its level.")
    }

    @Test func `values are numbers within their range`() throws {
        #expect(try refusal([.init("a", gain: .nan)]) == "Bus 'a' has a gain of nan; give it a finite one.")
        #expect(try refusal([.init("a", gain: -.infinity)]) == "Bus 'a' has a gain of -inf; give it a finite one.")
        #expect(try refusal([.init("a", pan: 1.5)]) == "Bus 'a' has a pan of 1.5; give it -1 (left) to 1 (right).")
        #expect(try refusal([.init("a", pan: .nan)]) == "Bus 'a' has a pan of nan; give it -1 (left) to 1 (right).")
        #expect(
            try refusal([.init("a", panLaw: nil, pan: 0.5)])
                == "Bus 'a' has a pan of 0.5 and no law for it; give it a panLaw.")
        #expect(
            try refusal([.init("a"), .init("b")], [.init(from: "a", to: "b", level: .infinity)])
                == "The send from 'a' to 'b' has a level of inf; give it a finite one.")
        for channels in [0, -1, 9, .max] {
            #expect(
                try refusal([.init("a", channels: channels)])
                    == """
                    Bus 'a' has \(channels) channels; give it 1 to 8, or make the engine with more (AudioEngine.Configuration.maximumChannels, at \
                    most 64).
                    """)
        }
    }

    @Test func `a channel map has the shape of what it is between; without one there is the usual`() throws {
        let twoToOne = try ChannelMap.standard(from: 2, to: 1)
        #expect(
            try refusal(
                [.init("drums"), .init("hall", channels: 4)], [.init(from: "drums", to: "hall", map: twoToOne)])
                    == """
                    The send from 'drums' leads to 'hall' by a channel map 2 → 1; it has 2 channels, and that takes 4. Give a map 2 → 4, or none for \
                    the usual one.
                    """)
        #expect(
            try refusal([.init("drums", map: twoToOne)])
                == """
                Bus 'drums' leads to the session's bus by a channel map 2 → 1; it has 2 channels, and that takes 2. Give a map 2 → 2, or none for \
                the usual one.
                """)
        #expect(
            try refusal([.init("mono", channels: 1), .init("drums", to: "mono", channels: 6, map: twoToOne)])
                == """
                Bus 'drums' leads to 'mono' by a channel map 2 → 1; it has 6 channels, and that takes 1. Give a map 6 → 1, or none for the usual one.
                """)
        let stage = try EngineFixture()
        try stage.bus.setGraph(
            BusGraph(buses: [.init("mono", channels: 1), .init("drums", to: "mono", channels: 6)]))
    }

    @Test func `more buses or sends than the engine has are refused, and how to have more is said`() throws {
        let small = AudioEngine.Configuration(maximumBuses: 4, maximumSends: 1)
        let names = ["a", "b", "c", "d"].map { BusGraph.Bus($0) }
        #expect(
            try refusal(BusGraph(buses: names), on: EngineFixture(configuration: small))
                == """
                A graph of 4 buses was asked for; the engine has 4, of which each session takes one. Make it with more \
                (AudioEngine.Configuration.maximumBuses, at most 1,024).
                """)
        #expect(
            try refusal(
                BusGraph(buses: Array(names.prefix(3)), sends: [.init(from: "a", to: "b"), .init(from: "b", to: "c")]),
                on: EngineFixture(configuration: small))
                    == """
                    A graph of 2 sends was asked for; the engine has 1. Make it with more (AudioEngine.Configuration.maximumSends, at most 1,024).
                    """)
        // The refused graph's buses, and the one that is kept, on one engine with two sessions.
        let stage = try EngineFixture(configuration: small)
        let gate = try TestGate()
        let other = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        try other.setGraph(BusGraph(buses: [.init("other")]))
        #expect(
            try refusal(BusGraph(buses: [.init("kept"), .init("more")]), on: stage)
                == """
                The graph needs 1 buses more; of the engine's 4, for all sessions, 0 are free (those that a graph gives up are free once nobody \
                holds or plays on them). Make it with more (AudioEngine.Configuration.maximumBuses).
                """)
        let absurd = BusGraph(buses: (0..<100_000).map { .init("\($0)") })
        #expect(throws: AudioEngineError.self) { try stage.bus.setGraph(absurd) }
    }

    @Test func `an insert belongs to one bus of one engine`() throws {
        let insert = try Self.effect()
        let twice = """
            Buses 'a' and 'b' have the same insert, or two with one context; an insert has a state and belongs to one bus: make one for each.
            """
        #expect(try refusal([.init("a", insert: insert), .init("b", insert: insert)]) == twice)
        let scale = Scale(1)
        let (one, two) = (
            try AudioInsert(context: scale.pointer, owner: scale, function: Scale.render),
            try AudioInsert(context: scale.pointer, owner: scale, function: Scale.render)
        )
        #expect(try refusal([.init("a", insert: one), .init("b", insert: two)]) == twice)

        let (stage, elsewhere) = (try EngineFixture(), try EngineFixture())
        let own = try Self.effect()
        try elsewhere.bus.setGraph(BusGraph(buses: [.init("a", insert: own)]))
        #expect(
            try refusal(BusGraph(buses: [.init("b", insert: own)]), on: stage)
                == "The insert of bus 'b' belongs to another engine; make another one for this engine.")
        let gate = try TestGate()
        let other = try elsewhere.engine.makeSessionBus(gate: gate.page, owner: gate)
        #expect(
            throws: AudioEngineError.badGraph(
                reason: """
                    Buses 'a' and 'c' of two sessions have the same insert, or two with one context; an insert has a state and belongs to one bus: make \
                    one for each.
                    """)
        ) { try other.setGraph(BusGraph(buses: [.init("c", insert: own)])) }
        #expect(other.graph == BusGraph())
    }

    @Test func `a path delays by so much and no more, and so does an insert`() throws {
        let long = AudioInsert.maximumLatency
        #expect(throws: AudioEngineError.self) { try Self.effect(latency: -1) }
        #expect(throws: AudioEngineError.self) { try Self.effect(latency: long + 1) }
        #expect(
            try refusal(
                [
                    .init("voice", insert: Self.effect(latency: 1)), .init("beside"),
                    .init("hall", to: "beside", insert: Self.effect(latency: long)),
                ], [.init(from: "voice", to: "hall")])
                    == """
                    The inserts along voice → hall → beside delay by 65537 frames; one path may take 65536. Use inserts that delay less, or lead these \
                    buses side by side.
                    """)
    }

    @Test func `a graph is a value`() throws {
        let map = try ChannelMap.gains([[1, 0], [0, 1]])
        let graph = BusGraph(
            buses: [.init("a", map: map), .init("b")], sends: [.init(from: "a", to: "b", level: 0.5)])
        var other = graph
        #expect(other == graph)
        other.buses[0].map = try ChannelMap.gains([[1, 0], [0, 1]])
        #expect(other == graph, "maps are compared by what they do")
        other.buses[0].map = try ChannelMap.gains([[0, 1], [1, 0]])
        #expect(other != graph)
        #expect(graph["b"] == BusGraph.Bus("b") && graph["c"] == nil)
    }
}
