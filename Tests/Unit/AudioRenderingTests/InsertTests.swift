import AudioRendering
import TestSupport
import Testing

/// Inserts: effects of an app on buses.
@Suite struct InsertTests {
    @Test func `an insert processes its bus pre-fader, and is retained while it is audible`() throws {
        let stage = try EngineFixture()
        weak var state: Scale?
        do {
            let scale = Scale(0.5)
            state = scale
            let insert = try AudioInsert(context: scale.pointer, owner: scale, function: Scale.render)
            try stage.bus.setGraph(BusGraph(buses: [.init("snare", to: "drums"), .init("drums", insert: insert)]))
        }
        let drums = try stage.bus.bus("drums")
        try stage.engine.play(steady(), on: stage.bus.bus("snare"))
        try stage.engine.play(steady(0.125), on: drums)
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.1875 })
        try drums.setMuted(true, rampFrames: 0)
        let calls = try #require(state?.state.pointee.calls)
        _ = try stage.driver.render(frames: 256)
        #expect(state.map { $0.state.pointee.calls == calls + 1 } ?? false, "called even while inaudible")
        try drums.setMuted(false, rampFrames: 0)
        _ = try stage.driver.render(frames: 256)
        // Without the insert: from half to full level in one crossfade. Only after that may the
        // insert be released.
        try stage.bus.setGraph(BusGraph(buses: [.init("snare", to: "drums"), .init("drums")]))
        let output = try stage.driver.render(frames: 100)[0]
        #expect(state != nil && Signal.largestStep(output) < 0.002)
        _ = try stage.driver.render(frames: 512)
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.375 })
        #expect(state == nil)
    }

    @Test func `parallel paths are delay-compensated, except live ones`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(
            BusGraph(buses: [
                .init("late", insert: Delay(frames: 100).insert()), .init("dry"),
                .init("live", isCompensationExempt: true),
            ]))
        let impulse = VoiceSource.buffer(try AudioBuffer([[0.25], [0.25]]))
        let frames = ["late", "dry", "live"].map { name in
            #expect(throws: Never.self) { try stage.engine.play(impulse, on: stage.bus.bus(name)) }
            let output = (try? stage.driver.render(frames: 512)[0]) ?? []
            return Signal.extent(of: output, above: 0.1)?.first
        }
        #expect(frames == [100, 100, 0])
        #expect(try stage.bus.bus("late").latencyFrames == 100 && stage.bus.bus("dry").latencyFrames == 100)
        #expect(try stage.bus.bus("live").latencyFrames == 0)
    }

    @Test func `an insert moves to another bus only after a graph without it`() throws {
        let stage = try EngineFixture()
        let insert = try Delay(frames: 10).insert()
        try stage.bus.setGraph(BusGraph(buses: [.init("a", insert: insert), .init("b")]))
        for name in ["a", "b"] { try stage.engine.play(steady(), on: stage.bus.bus(name)) }
        _ = try stage.driver.render(frames: 512)
        let moved = BusGraph(buses: [.init("a"), .init("b", insert: insert)])
        let error = #expect(throws: AudioEngineError.self) { try stage.bus.setGraph(moved) }
        #expect(
            error?.description
                == """
                The insert of bus 'b' is still in use on bus 'a'. Set a graph without this conflict first, and this one once \
                SessionBus.isGraphSettled is true.
                """)
        try stage.bus.setGraph(BusGraph(buses: [.init("a"), .init("b")]))
        while !stage.bus.isGraphSettled { _ = try stage.driver.render(frames: 64) }
        try stage.bus.setGraph(moved)
    }

    @Test func `two buses exchange their order only after a graph with one of them elsewhere`() throws {
        let stage = try EngineFixture()
        let insert = try Delay(frames: 10).insert()
        try stage.bus.setGraph(BusGraph(buses: [.init("a", insert: insert), .init("b", to: "a")]))
        for name in ["a", "b"] { try stage.engine.play(steady(), on: stage.bus.bus(name)) }
        _ = try stage.driver.render(frames: 512)
        let turned = BusGraph(buses: [.init("b"), .init("a", to: "b", insert: insert)])
        let error = #expect(throws: AudioEngineError.self) { try stage.bus.setGraph(turned) }
        #expect(
            error?.description
                == """
                Together with the previous graph, which is still audible, the buses would form a cycle: a → b → a. Set a graph without this conflict \
                first, and this one once SessionBus.isGraphSettled is true.
                """)
        try stage.bus.setGraph(BusGraph(buses: [.init("a", insert: insert), .init("b")]))
        while !stage.bus.isGraphSettled { _ = try stage.driver.render(frames: 64) }
        try stage.bus.setGraph(turned)
    }

    @Test func `an insert's context is released with it, also on a session's bus`() throws {
        let stage = try EngineFixture()
        weak var held: SessionBus?
        do {
            let gate = try TestGate()
            let session = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
            held = session
            let owner = Owner(session: session)
            let insert = try AudioInsert(context: owner.scale.pointer, owner: owner, function: Scale.render)
            try stage.bus.setGraph(BusGraph(buses: [.init("a", insert: insert)]))
        }
        try stage.engine.play(steady(), on: stage.bus.bus("a"))
        _ = try stage.driver.render(frames: 256)
        try stage.bus.setGraph(BusGraph())
        #expect(held != nil)
        _ = try stage.driver.render(frames: 512)
        #expect(held == nil)
    }

    @Test func `a bus with an insert keeps its channels on any route`() throws {
        let stage = try EngineFixture(channels: 6)
        let scale = Scale(0.5)
        let insert = try AudioInsert(context: scale.pointer, owner: scale, function: Scale.render)
        try stage.bus.setGraph(BusGraph(buses: [.init("drums", insert: insert), .init("bass")]))
        let drums = try stage.bus.bus("drums")
        try stage.engine.play(steady(), on: drums)
        try stage.bus.setOutputs([OutputRoute(firstChannel: 0, channels: 2)])
        #expect(try drums.channels == 6 && stage.bus.bus("bass").channels == 2)
        _ = try stage.driver.render(frames: 512)
        #expect(try stage.driver.render(frames: 1)[0][0] > 0.03)
        try stage.bus.setGraph(BusGraph(buses: [.init("drums", insert: insert)]))
        #expect(drums.channels == 6)
        _ = try stage.driver.render(frames: 512)
        let other = BusGraph(buses: [.init("drums", channels: 2, insert: insert)])
        let error = #expect(throws: AudioEngineError.self) { try stage.bus.setGraph(other) }
        #expect(
            error?.description
                == """
                The insert of bus 'drums' is still in use with 6 channels, and would have 2. Set a graph without this conflict first, and this one \
                once SessionBus.isGraphSettled is true.
                """)
        #expect(drums.channels == 6)
    }
}

private final class Owner: Sendable {
    let session: SessionBus
    let scale = Scale(1)

    init(session: SessionBus) { self.session = session }
}
