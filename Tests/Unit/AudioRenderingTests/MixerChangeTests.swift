import AudioRendering
import Dispatch
import Platform
import TestSupport
import Testing

/// Changes of the mixer graph during playback.
@Suite struct MixerChangeTests {
    /// A slow tone, whose steps are small enough to make a click stand out.
    private func tone() throws -> VoiceSource {
        let plane = Signal.sine(frequency: 100, sampleRate: 48_000, frames: 48_000, amplitude: 0.25)
        return .buffer(try AudioBuffer([plane, plane]), loop: .forever)
    }

    @Test func `a bus that keeps its name continues without a gap on any route`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(BusGraph(buses: [.init("drums")]))
        let drums = try stage.bus.bus("drums")
        drums.gain = 0.5
        let voice = try stage.engine.play(tone(), on: drums)
        var output = try stage.driver.render(frames: 1_000)[0]
        let graphs = [
            BusGraph(buses: [.init("drums", to: "music", gain: 3), .init("music", gain: 0.75), .init("hall")]),
            BusGraph(
                buses: [.init("hall"), .init("drums", to: "hall"), .init("music")],
                sends: [.init(from: "drums", to: "music", level: 0.5)]),
            BusGraph(buses: [.init("drums", channels: 1), .init("bass")]), BusGraph(buses: [.init("drums")]),
        ]
        for graph in graphs {
            try stage.bus.setGraph(graph)
            #expect(stage.bus.graph == graph)
            output += try stage.driver.render(frames: 1_000)[0]
            #expect(stage.bus.isGraphSettled)
            #expect(try stage.bus.bus("drums").identity === drums.identity && drums.gain == 0.5)
        }
        #expect(Signal.largestStep(output) < 0.0085, "the tone steps by 0.0033, the crossfade adds 0.0011")
        let before = Signal.sine(frequency: 100, sampleRate: 48_000, frames: 48_000, amplitude: 0.125)
        // The gain is 0.75, then 1 plus 0.5 through the second path: the tone keeps its phase, at
        // other levels. The mono bus is routed to both sides again.
        #expect(zip(output[1_500..<2_000], before[1_500..<2_000]).allSatisfy { abs($0 - 0.75 * $1) < 1e-6 })
        #expect(zip(output[2_500..<3_000], before[2_500..<3_000]).allSatisfy { abs($0 - 1.375 * $1) < 1e-6 })
        #expect(Signal.firstDifference(output[4_500...], before[4_500..<5_000]) == nil)
        #expect(voice.framesRendered == 5_000)
    }

    @Test func `a removed bus falls silent without a click, and its voices end`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(BusGraph(buses: [.init("drums"), .init("bass")]))
        let (drums, bass) = (try stage.bus.bus("drums"), try stage.bus.bus("bass"))
        let voice = try stage.engine.play(steady(), on: drums)
        let later = try stage.engine.play(steady(), on: drums, at: stage.engine.currentFrame + 3_000)
        let other = try stage.engine.play(steady(0.125), on: bass)
        var output = try stage.driver.render(frames: 1_000)[0]
        try stage.bus.setGraph(BusGraph(buses: [.init("bass")]))
        output += try stage.driver.render(frames: 4_000)[0]
        #expect(Signal.largestStep(output) < 0.0025, "both the bus and its voice fade, in 240 frames")
        #expect(output[1_300...].allSatisfy { $0 == 0.125 })
        #expect(voice.state == .ended && voice.endReason == .stopped && later.state == .ended)
        #expect(other.framesRendered == 5_000)
    }

    @Test func `calls on a removed bus throw, and do not affect later buses`() throws {
        let stage = try EngineFixture()
        let graph = BusGraph(buses: [.init("a"), .init("b")], sends: [.init(from: "a", to: "b")])
        try stage.bus.setGraph(graph)
        let a = try stage.bus.bus("a")
        let send = try a.send(to: "b")
        let sound = try stage.engine.makeSound(AudioBuffer([[0.5], [0.5]]), on: a)
        try stage.bus.setGraph(BusGraph(buses: [.init("b")]))
        try stage.bus.setGraph(graph)
        let gone = AudioEngineError.busRemoved(name: "a")
        #expect(throws: gone) { try a.setGain(0, rampFrames: 0) }
        #expect(throws: gone) { try a.setPan(0, rampFrames: 0) }
        #expect(throws: gone) { try a.setMuted(true, rampFrames: 0) }
        #expect(throws: gone) { try a.setMeter(AudioMeter()) }
        #expect(throws: gone) { try a.stopAll() }
        #expect(throws: gone) { try a.send(to: "b") }
        #expect(throws: gone) { try stage.engine.play(steady(), on: a) }
        #expect(throws: gone) { try stage.engine.makeSound(AudioBuffer([[0.5]]), on: a) }
        #expect(throws: AudioEngineError.self) { try send.setLevel(0, rampFrames: 0) }
        #expect(
            gone.description
                == "Bus 'a' was removed from its session's graph; look it up again once a graph contains it.")
        (a.gain, a.isMuted, send.level) = (0, true, 0.5)
        #expect(a.gain == 1 && !a.isMuted && send.level == 0)
        let now = try stage.bus.bus("a")
        #expect(now.identity !== a.identity && now.slot != a.slot && now.gain == 1 && !now.isMuted)
        #expect(try now.send(to: "b").level == 1)
        // The sound keeps the slot that it was made for: it is never heard on another bus.
        try stage.engine.makeCommandQueue().trigger(sound)
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0 })
    }

    @Test func `slots are reused when mixers are created and removed repeatedly`() throws {
        let stage = try EngineFixture(configuration: .init(maximumBuses: 4, maximumSends: 1))
        let first = BusGraph(
            buses: [.init("a", gain: 0.5), .init("b", to: "a")], sends: [.init(from: "b", to: "a", level: 0.5)])
        let second = BusGraph(buses: [.init("c", to: "d"), .init("d"), .init("e")])
        for turn in 0..<150 {
            try stage.bus.setGraph(turn % 2 == 0 ? first : second)
            let voice = try stage.engine.play(steady(), on: stage.bus.bus(turn % 2 == 0 ? "b" : "c"))
            // Within a crossfade, at its end, or after it.
            _ = try stage.driver.render(frames: [64, 240, 512][turn % 3])
            try stage.bus.setGraph(BusGraph())
            _ = try stage.driver.render(frames: 512)
            try #require(voice.state == .ended)
        }
        // No state is left over: a new bus starts with its described values.
        try stage.bus.setGraph(BusGraph(buses: [.init("a"), .init("b"), .init("c")]))
        for name in ["a", "b", "c"] { try stage.engine.play(steady(), on: stage.bus.bus(name)) }
        #expect(try stage.driver.render(frames: 512)[0].allSatisfy { $0 == 0.75 })
    }

    @Test(arguments: [true, false])
    func `a voice's resources are free before its end is reported`(isInMixer: Bool) throws {
        let stage = try EngineFixture(configuration: .init(maximumVoices: 1, maximumBuses: 4, maximumSends: 1))
        let (notified, failure) = (DispatchSemaphore(value: 0), Mutex<(any Error)?>(nil))
        let end: @Sendable (Voice) -> Void = { _ in
            do {
                try stage.bus.setGraph(BusGraph(buses: [.init("c"), .init("d"), .init("e")]))
                try stage.engine.play(steady(), on: stage.bus)
            } catch {
                failure.withLock { $0 = error }
            }
            notified.signal()
        }
        // The voice is the last one that holds its bus.
        let voice: Voice
        if isInMixer {
            try stage.bus.setGraph(BusGraph(buses: [.init("a")]))
            voice = try stage.engine.play(steady(), on: stage.bus.bus("a"), onEnd: end)
            try stage.bus.setGraph(BusGraph())
        } else {
            let gate = try TestGate()
            voice = try stage.engine.play(
                steady(), on: stage.engine.makeSessionBus(gate: gate.page, owner: gate), onEnd: end)
            try voice.stop()
        }
        _ = try stage.driver.render(frames: 512)
        #expect(notified.wait(timeout: .now() + 10) == .success)
        #expect(failure.withLock { $0 } == nil)
    }

    /// An object that an app passes to a voice. It calls a closure when it is released.
    private final class Owner: Sendable {
        let whenGone: @Sendable () -> Void

        init(_ whenGone: @escaping @Sendable () -> Void) { self.whenGone = whenGone }

        deinit { whenGone() }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [true, false])
    func `a voice's buffer is released with it, outside all locks`(isNeeded: Bool) throws {
        let stage = try EngineFixture(inputs: 1, configuration: .init(maximumInputs: 2))
        let gone = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            // The voices hold the last references, and no code asks for their ends.
            let input = try stage.engine.makeInput(for: stage.bus)
            let owner = Owner { [engine = stage.engine, bus = stage.bus] in
                try? bus.setGraph(BusGraph(buses: [.init("a")]))
                _ = try? engine.play(steady(), on: bus).stop()
                gone.signal()
            }
            let silence: RenderSource.Function = { _, _, _, _ in 0 }
            try stage.engine.play(.input(input), on: stage.bus).stop()
            try stage.engine.play(.render(RenderSource(channels: 1, owner: owner, function: silence)), on: stage.bus)
        }
        _ = try stage.driver.render(frames: 256)
        if isNeeded { try stage.bus.setGraph(BusGraph(buses: [.init("b")])) }
        _ = try stage.driver.render(frames: 256)
        for _ in 0..<2 { #expect(gone.wait(timeout: .now() + 10) == .success) }
    }

    @Test func `the end of a removed session is not reported to the next user of its slot`() throws {
        let stage = try EngineFixture(configuration: .init(maximumBuses: 2))
        let (ends, slots, next) = (Mutex<[Int]>([]), Mutex<[Int]>([]), Mutex<SessionBus?>(nil))
        let observation = stage.engine.observe { event in
            if case .busEnded(let bus) = event { ends.withLock { $0.append(bus) } }
        }
        let gate = try TestGate()
        let make = { @Sendable in try? stage.engine.makeSessionBus(gate: gate.page, owner: gate) }
        var session = make()
        let slot = session?.slot
        let voice = try stage.engine.play(steady(), on: #require(session)) { _ in
            next.withLock { $0 = make() }
            slots.withLock { $0.append(next.withLock { $0?.slot } ?? -1) }
        }
        session = nil
        try voice.stop()
        _ = try stage.driver.render(frames: 512)
        #expect(eventually { !slots.withLock { $0.isEmpty } })
        // Reported after it, on the same thread.
        try stage.engine.play(steady(), on: stage.bus).stop()
        _ = try stage.driver.render(frames: 512)
        #expect(eventually { ends.withLock { $0.contains(stage.bus.slot) } })
        #expect(slots.withLock { $0 } == [slot] && ends.withLock { $0 } == [stage.bus.slot])
        withExtendedLifetime(observation) {}
    }

    @Test func `ended voices are reclaimed on demand, before their ends are collected`() throws {
        let stage = try EngineFixture(configuration: .init(maximumVoices: 1, maximumBuses: 2))
        try stage.bus.setGraph(BusGraph(buses: [.init("a")]))
        // While the engine is stopped, no thread polls for ends.
        stage.engine.stop()
        let ends = Mutex(0)
        for name in ["b", "c", "d"] {
            let voice = try stage.engine.play(steady(), on: stage.bus.buses[0]) { _ in ends.withLock { $0 += 1 } }
            try voice.stop()
            #expect(voice.state == .ended && voice.endReason == .stopped)
            try stage.bus.setGraph(BusGraph())
            try stage.bus.setGraph(BusGraph(buses: [.init(name)]))
        }
        for _ in 0..<3 { try stage.engine.play(steady(), on: stage.bus) { _ in ends.withLock { $0 += 1 } }.stop() }
        try stage.bus.setGraph(BusGraph())
        #expect(eventually { ends.withLock { $0 } == 6 }, "each end is reported, although nothing renders")
    }

    @Test func `a session's mixer is removed with it`() throws {
        let stage = try EngineFixture(configuration: .init(maximumBuses: 4, maximumSends: 1))
        for _ in 0..<100 {
            let gate = try TestGate()
            let session = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
            try session.setGraph(BusGraph(buses: [.init("a"), .init("b")], sends: [.init(from: "a", to: "b")]))
            let voice = try stage.engine.play(steady(), on: session.bus("a"))
            _ = try stage.driver.render(frames: 64)
            try voice.stop(fadeFrames: 100)
            _ = try stage.driver.render(frames: 512)
        }
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0 })
    }

    @Test func `a bus keeps its session alive`() throws {
        let stage = try EngineFixture()
        var bus: MixerBus?
        weak var session: SessionBus?
        do {
            let gate = try TestGate()
            let own = try stage.engine.makeSessionBus(gate: gate.page, owner: gate)
            try own.setGraph(BusGraph(buses: [.init("a")]))
            (bus, session) = (try own.bus("a"), own)
        }
        try stage.engine.play(steady(), on: #require(bus))
        bus = nil
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.25 })
        try session?.stopAll(fadeFrames: 240)
        _ = try stage.driver.render(frames: 512)
        _ = try stage.driver.render(frames: 512)
        #expect(session == nil)
    }

    @Test func `initial values apply from a new bus's first frame; existing buses keep theirs`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(BusGraph(buses: [.init("a", gain: 0.5, pan: -1)]))
        try stage.engine.play(steady(), on: stage.bus.bus("a"))
        let output = try stage.driver.render(frames: 256)
        #expect(output[0].allSatisfy { $0 == 0.125 } && output[1].allSatisfy { abs($0) < 1e-6 })
        try stage.bus.setGraph(
            BusGraph(
                buses: [.init("a", gain: 1, pan: 0), .init("b", isMuted: true), .init("c")],
                sends: [.init(from: "a", to: "c", level: 0.5)]))
        try stage.engine.play(steady(), on: stage.bus.bus("b"))
        _ = try stage.driver.render(frames: 512)
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.1875 })
        #expect(try stage.bus.bus("a").gain == 0.5 && stage.bus.bus("a").pan == -1 && stage.bus.bus("b").isMuted)
    }

    @Test func `buses follow the channels of the session's output; maps that do not fit are dropped`() throws {
        let stage = try EngineFixture(channels: 6)
        let swapped = try ChannelMap.gains((0..<6).map { row in (0..<6).map { $0 == 5 - row ? 1 : 0 } })
        try stage.bus.setGraph(BusGraph(buses: [.init("a", map: swapped), .init("b", channels: 1)]))
        let a = try stage.bus.bus("a")
        #expect(a.channels == 6 && stage.bus.channels == 6)
        try stage.engine.play(steady(), on: a)
        #expect(try stage.driver.render(frames: 1).map { $0[0] } == [0, 0, 0, 0, 0.25, 0.25])
        try stage.bus.setOutputs([OutputRoute(firstChannel: 2, channels: 2)])
        #expect(a.channels == 2)
        #expect(try stage.bus.bus("b").channels == 1)
        _ = try stage.driver.render(frames: 512)
        #expect(try stage.driver.render(frames: 1).map { $0[0] } == [0, 0, 0.25, 0.25, 0, 0])
    }

    @Test func `a bus that is added during another one's fade has its own values`() throws {
        let stage = try EngineFixture()
        try stage.bus.setGraph(
            BusGraph(buses: [.init("old"), .init("other")], sends: [.init(from: "old", to: "other")]))
        try stage.engine.play(steady(), on: stage.bus.bus("old"))
        _ = try stage.driver.render(frames: 256)
        try stage.bus.setGraph(BusGraph())
        _ = try stage.driver.render(frames: 64)
        try stage.bus.setGraph(
            BusGraph(buses: [.init("new"), .init("other")], sends: [.init(from: "new", to: "other")]))
        let new = try stage.bus.bus("new")
        new.isMuted = true
        try new.send(to: "other").setLevel(0.5, rampFrames: 0)
        try stage.engine.play(steady(), on: new)
        _ = try stage.driver.render(frames: 1_024)
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0 })
        new.isMuted = false
        _ = try stage.driver.render(frames: 1_024)
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.375 })
    }

    @Test func `a graph has no effect if the queue has no room for all its commands`() throws {
        let stage = try EngineFixture()
        let crowd = BusGraph(buses: (0..<16).map { BusGraph.Bus("\($0)") })
        try stage.bus.setGraph(crowd)
        let voice = try stage.engine.play(steady(), on: stage.bus.bus("3"))
        _ = try stage.driver.render(frames: 256)
        // Fills the ring completely, and then leaves too little room to stop all voices on the
        // removed buses.
        while (try? stage.bus.setGain(1, rampFrames: 0)) != nil {}
        #expect(throws: AudioEngineError.commandQueueFull) { try stage.bus.setGraph(BusGraph()) }
        _ = try stage.driver.render(frames: 256)
        for _ in 0..<1_015 { try stage.bus.setGain(1, rampFrames: 0) }
        #expect(throws: AudioEngineError.commandQueueFull) { try stage.bus.setGraph(BusGraph()) }
        #expect(stage.bus.graph == crowd)
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.25 })
        #expect(voice.state == .playing)
        try stage.bus.setGraph(BusGraph())
    }

    @Test func `many threads change one mixer during playback without a leak`() throws {
        let stage = try EngineFixture(configuration: .init(maximumBuses: 8, maximumSends: 2))
        let graphs = [
            BusGraph(buses: [.init("a"), .init("b", to: "a")]),
            BusGraph(buses: [.init("b"), .init("c")], sends: [.init(from: "b", to: "c")]), BusGraph(),
        ]
        let source = try steady()
        DispatchQueue.concurrentPerform(iterations: 600) { turn in
            switch turn % 6 {
            case 0: try? stage.bus.setGraph(graphs[turn / 6 % 3])
            case 1: _ = try? stage.engine.play(source, on: stage.bus.bus("b"))
            case 2: _ = try? stage.driver.render(frames: 64)
            case 3: for bus in stage.bus.buses { (bus.gain, bus.isSoloed, bus.pan) = (0.5, turn % 4 == 3, 0.1) }
            case 4: try? stage.engine.bus("b").send(to: "c").level = 0.5
            default: try? stage.bus.bus("a").stopAll()
            }
        }
        try stage.bus.stopAll()
        _ = try stage.driver.render(frames: 1_024)
        try stage.bus.setGraph(BusGraph())
        _ = try stage.driver.render(frames: 1_024)
        #expect(stage.bus.isGraphSettled && !stage.bus.hasPlayingVoices)
        try stage.bus.setGraph(BusGraph(buses: (0..<7).map { .init("\($0)") }))
        for bus in stage.bus.buses { try stage.engine.play(source, on: bus, gain: 0.5) }
        #expect(try stage.driver.render(frames: 256)[0].allSatisfy { $0 == 0.875 })
    }
}
