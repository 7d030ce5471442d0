import AudioRendering
import TestSupport
import Testing

/// Reasons for which bus graphs are refused, the wording of the errors, and that a refusal changes
/// nothing.
@Suite struct BusGraphTests {
    private static func effect(latency: Int = 0) throws -> AudioInsert {
        let scale = Scale(1)
        return try AudioInsert(latencyFrames: latency, context: scale.pointer, owner: scale, function: Scale.render)
    }

    /// Sets a graph on a mixer that already has one, and returns the error. Verifies that the old
    /// graph stays in effect and sounds the same.
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

    @Test func `bus names are unique and not empty`() throws {
        #expect(try refusal([.init("")]) == "A bus has an empty name; give each bus a unique name.")
        #expect(
            try refusal([.init("drums"), .init("bass"), .init("drums")])
                == "Two buses are named 'drums'; give each bus a unique name.")
    }

    @Test func `a bus is routed to an existing bus`() throws {
        #expect(
            try refusal([.init("drums"), .init("snare", to: "drumz")])
                == """
                Bus 'snare' is routed to unknown bus 'drumz'. Buses: 'drums', 'snare'. Without a parent, a bus is routed to the session's bus.
                """)
    }

    @Test func `cycles of buses and sends are refused`() throws {
        #expect(
            try refusal([.init("x"), .init("c", to: "a"), .init("a", to: "b"), .init("b", to: "a")])
                == """
                The buses form a cycle: a → b → a. Route one of them elsewhere, or remove the send that closes it.
                """)
        #expect(
            try refusal([.init("a", to: "a")])
                == "The buses form a cycle: a → a. Route one of them elsewhere, or remove the send that closes it.")
        #expect(
            try refusal(
                [.init("echo"), .init("hall"), .init("voice")],
                [.init(from: "echo", to: "hall"), .init(from: "hall", to: "echo"), .init(from: "voice", to: "echo")])
                    == """
                    The buses form a cycle: echo → hall → echo. Route one of them elsewhere, or remove the send that closes it.
                    """)
    }

    @Test func `a send connects two existing buses, once`() throws {
        #expect(
            try refusal([.init("voice")], [.init(from: "voice", to: "hall")])
                == "The send from 'voice' to 'hall' refers to unknown bus 'hall'. Buses: 'voice'.")
        #expect(
            try refusal([.init("hall")], [.init(from: "voice", to: "hall")])
                == "The send from 'voice' to 'hall' refers to unknown bus 'voice'. Buses: 'hall'.")
        #expect(
            try refusal([.init("voice")], [.init(from: "voice", to: "voice")])
                == "Bus 'voice' sends to itself; choose another target.")
        #expect(
            try refusal(
                [.init("voice"), .init("hall")],
                [.init(from: "voice", to: "hall"), .init(from: "voice", to: "hall", isPreFader: true)])
                == "There are two sends from 'voice' to 'hall'; keep one, and set its level.")
    }

    @Test func `values outside their range are refused`() throws {
        #expect(try refusal([.init("a", gain: .nan)]) == "Bus 'a' has a gain of nan; use a finite value.")
        #expect(try refusal([.init("a", gain: -.infinity)]) == "Bus 'a' has a gain of -inf; use a finite value.")
        #expect(try refusal([.init("a", pan: 1.5)]) == "Bus 'a' has a pan of 1.5; use -1 (left) to 1 (right).")
        #expect(try refusal([.init("a", pan: .nan)]) == "Bus 'a' has a pan of nan; use -1 (left) to 1 (right).")
        #expect(
            try refusal([.init("a", panLaw: nil, pan: 0.5)])
                == "Bus 'a' has a pan of 0.5 but no pan law; set its panLaw.")
        #expect(
            try refusal([.init("a"), .init("b")], [.init(from: "a", to: "b", level: .infinity)])
                == "The send from 'a' to 'b' has a level of inf; use a finite value.")
        for channels in [0, -1, 9, .max] {
            #expect(
                try refusal([.init("a", channels: channels)])
                    == """
                    Bus 'a' has \(channels) channels; use 1 to 8, or create the engine with more (AudioEngine.Configuration.maximumChannels, at \
                    most 64).
                    """)
        }
    }

    @Test func `a channel map has the shape of its source and target; without one the default map applies`() throws {
        let twoToOne = try ChannelMap.standard(from: 2, to: 1)
        #expect(
            try refusal(
                [.init("drums"), .init("hall", channels: 4)], [.init(from: "drums", to: "hall", map: twoToOne)])
                    == """
                    The send from 'drums' is routed to 'hall' with a channel map 2 → 1, but the source has 2 channels and the target 4. Use a map \
                    2 → 4, or none for the standard map.
                    """)
        #expect(
            try refusal([.init("drums", map: twoToOne)])
                == """
                Bus 'drums' is routed to the session's bus with a channel map 2 → 1, but the source has 2 channels and the target 2. Use a map \
                2 → 2, or none for the standard map.
                """)
        #expect(
            try refusal([.init("mono", channels: 1), .init("drums", to: "mono", channels: 6, map: twoToOne)])
                == """
                Bus 'drums' is routed to 'mono' with a channel map 2 → 1, but the source has 6 channels and the target 1. Use a map 6 → 1, or none \
                for the standard map.
                """)
        let stage = try EngineFixture()
        try stage.bus.setGraph(
            BusGraph(buses: [.init("mono", channels: 1), .init("drums", to: "mono", channels: 6)]))
    }

    @Test func `more buses or sends than the engine has are refused; the error says how to raise the limit`() throws {
        let small = AudioEngine.Configuration(maximumBuses: 4, maximumSends: 1)
        let names = ["a", "b", "c", "d"].map { BusGraph.Bus($0) }
        #expect(
            try refusal(BusGraph(buses: names), on: EngineFixture(configuration: small))
                == """
                The graph has 4 buses; the engine has 4, and each session uses one. Create the engine with more \
                (AudioEngine.Configuration.maximumBuses, at most 1,024).
                """)
        #expect(
            try refusal(
                BusGraph(buses: Array(names.prefix(3)), sends: [.init(from: "a", to: "b"), .init(from: "b", to: "c")]),
                on: EngineFixture(configuration: small))
                    == """
                    The graph has 2 sends; the engine has 1. Create the engine with more (AudioEngine.Configuration.maximumSends, at most 1,024).
                    """)
        // Buses of the refused graph and of the one in effect, on one engine with two sessions.
        let stage = try EngineFixture(configuration: small)
        let gate = try TestGate()
        let other = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
        try other.setGraph(BusGraph(buses: [.init("other")]))
        #expect(
            try refusal(BusGraph(buses: [.init("kept"), .init("more")]), on: stage)
                == """
                The graph needs 1 more buses; of the engine's 4, for all sessions, 0 are free (removed ones become free once nothing holds them or \
                plays on them). Create the engine with more (AudioEngine.Configuration.maximumBuses).
                """)
        let absurd = BusGraph(buses: (0..<100_000).map { .init("\($0)") })
        #expect(throws: AudioEngineError.self) { try stage.bus.setGraph(absurd) }
    }

    @Test func `an insert belongs to one bus of one engine`() throws {
        let insert = try Self.effect()
        let twice = """
            Buses 'a' and 'b' share an insert, or its context; an insert has state and belongs to one bus: create one for each.
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
                == "The insert of bus 'b' belongs to another engine; create one for this engine.")
        let gate = try TestGate()
        let other = try elsewhere.engine.makeSessionBus(gate: gate.page, owner: gate)
        #expect(
            throws: AudioEngineError.badGraph(
                reason: """
                    Buses 'a' and 'c' of two sessions share an insert, or its context; an insert has state and belongs to one bus: create one for \
                    each.
                    """)
        ) { try other.setGraph(BusGraph(buses: [.init("c", insert: own)])) }
        #expect(other.graph == BusGraph())
    }

    @Test func `the delay of a path and of an insert is limited`() throws {
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
                    The inserts along voice → hall → beside have a latency of 65537 frames; one path may have 65536. Use inserts with less latency, or \
                    route these buses in parallel.
                    """)
    }

    @Test func `a graph is a value`() throws {
        let map = try ChannelMap.gains([[1, 0], [0, 1]])
        let graph = BusGraph(
            buses: [.init("a", map: map), .init("b")], sends: [.init(from: "a", to: "b", level: 0.5)])
        var other = graph
        #expect(other == graph)
        other.buses[0].map = try ChannelMap.gains([[1, 0], [0, 1]])
        #expect(other == graph, "maps are compared by their gains")
        other.buses[0].map = try ChannelMap.gains([[0, 1], [1, 0]])
        #expect(other != graph)
        #expect(graph["b"] == BusGraph.Bus("b") && graph["c"] == nil)
    }
}
