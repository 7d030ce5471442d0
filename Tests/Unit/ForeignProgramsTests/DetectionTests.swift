import ArbiterService
import SessionArbiter
import SessionPolicy
import TestRandom
import Testing

@testable import ForeignPrograms

/// Programs that lower others only while they are audible.
@Suite struct DetectionTests {
    private let fixture = AdoptionFixture()

    init() {
        fixture.run(100, "/usr/bin/game")
        fixture.run(200, "/usr/bin/reader")
        fixture.stream(1, of: 100)
    }

    private func start(_ id: UInt64 = 2) { fixture.stream(id, of: 200, role: "Accessibility") }

    private var isDetected: Bool { fixture.session(of: 200)?.ducksOnlyWhileAudible == true }

    @Test("A screen reader lowers others only while it is audible (DUCK-2)")
    func audible() {
        start()
        #expect(
            fixture.tools.detections == [StreamID(2): .detect(StreamID(2), threshold: 50, milliseconds: 800)])
        #expect(isDetected && fixture.session(of: 200)?.isActive == true)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.tools.commands.isEmpty, "Others are not lowered even for a moment.")
        fixture.detect(2, .audible)
        #expect(fixture.sound(1) == .lowered(14))
        #expect(fixture.sound(2) == .full)
        fixture.detect(2, .inaudible)
        #expect(fixture.sound(1) == .full)
        #expect(fixture.session(of: 200)?.isActive == true)
    }

    @Test("A program that lowers nobody is not observed")
    func others() {
        #expect(fixture.tools.detections.isEmpty)
        #expect(fixture.session(of: 100)?.ducksOnlyWhileAudible == false)
        // An event that was on its way when the detection ended.
        fixture.detect(1, .audible)
        #expect(fixture.session(of: 100)?.isAudible == false)
    }

    @Test("Of several streams, one that is audible is enough, as long as it runs")
    func severalStreams() {
        start(2)
        start(3)
        fixture.detect(2, .audible)
        fixture.detect(3, .audible)
        fixture.detect(2, .inaudible)
        #expect(fixture.sound(1) == .lowered(14))
        fixture.stream(3, of: 200, role: "Accessibility", isRunning: false)
        #expect(fixture.sound(1) == .full)
        start(3)
        #expect(fixture.sound(1) == .lowered(14))
        fixture.endStream(3)
        #expect(fixture.sound(1) == .full)
        #expect(isDetected)
    }

    @Test("A stream whose sound could not be detected is tried again after a while")
    func again() {
        start()
        fixture.detect(2, .undetected)
        #expect(!isDetected)
        fixture.passTime()
        #expect(isDetected)
        #expect(fixture.sound(1) == .full)
    }

    @Test("If the sound cannot be detected, others are lowered while the program plays")
    func undetected() {
        start()
        fixture.detect(2, .undetected)
        #expect(!isDetected)
        #expect(fixture.sound(1) == .lowered(14))
        #expect(fixture.tools.detections[StreamID(2)] != nil, "It is not ended, which it has itself.")
        // A second stream, which can be detected: the first one counts while it runs.
        start(3)
        #expect(isDetected)
        #expect(fixture.sound(1) == .lowered(14))
        fixture.stream(2, of: 200, role: "Accessibility", isRunning: false)
        #expect(fixture.sound(1) == .full)
        fixture.detect(3, .audible)
        #expect(fixture.sound(1) == .lowered(14))
    }

    @Test("A stream that has no level is not observed, and counts while it runs")
    func jack() {
        var settings = AdoptionSettings()
        settings.programs = [.init("synth", kind: .prompt)]
        let fixture = AdoptionFixture(settings)
        fixture.run(100, "/usr/bin/game")
        fixture.run(200, "/usr/bin/synth")
        fixture.stream(1, of: 100)
        fixture.stream(2, of: 200, api: .jack)
        #expect(fixture.tools.detections.isEmpty)
        #expect(fixture.session(of: 200)?.ducksOnlyWhileAudible == false)
        #expect(fixture.sound(1) == .lowered(14))
    }

    @Test("After a crash of the stream controller, what was audible stays so until the next one reports it")
    func controllerLost() {
        start()
        fixture.detect(2, .audible)
        fixture.tools.detections = [:]
        fixture.adopter.controllerLost()
        fixture.settle()
        #expect(fixture.tools.detections.isEmpty)
        fixture.stream(1, of: 100)
        start()
        #expect(fixture.tools.detections.count == 1)
        #expect(fixture.sound(1) == .lowered(14))
        fixture.adopter.handle(.synced)
        fixture.detect(2, .inaudible)
        #expect(fixture.sound(1) == .full)
    }

    @Test("The next stream controller tries again what the previous one could not detect")
    func controllerLostUndetected() {
        start()
        fixture.detect(2, .undetected)
        fixture.tools.detections = [:]
        fixture.adopter.controllerLost()
        start()
        #expect(fixture.tools.detections.count == 1)
        #expect(isDetected)
    }

    @Test("An event that the stream controller wrote before its end does no harm")
    func lateEvent() {
        start()
        fixture.adopter.controllerLost()
        fixture.detect(2, .audible)
        #expect(fixture.sound(1) == .full)
        fixture.endStream(2)
        fixture.detect(2, .audible)
        fixture.detect(2, .undetected)
        #expect(fixture.sound(1) == .full)
    }

    @Test("An arbiter that is there again is notified of what has changed meanwhile")
    func arbiterChanged() {
        start()
        fixture.tools.isConnected = false
        fixture.detect(2, .audible)
        #expect(fixture.sound(1) == .full)
        fixture.tools.isConnected = true
        fixture.adopter.arbiterChanged()
        fixture.settle()
        #expect(fixture.sound(1) == .lowered(14))
    }

    @Test("The settings apply at once: for all programs, and for one")
    func settings() {
        start()
        var settings = AdoptionSettings()
        settings.ducksOnlyWhileAudible = false
        fixture.apply(settings)
        #expect(!isDetected && fixture.tools.detections.isEmpty)
        #expect(fixture.sound(1) == .lowered(14))
        settings.programs = [.init("reader", ducksOnlyWhileAudible: true)]
        fixture.apply(settings)
        #expect(isDetected && fixture.tools.detections.count == 1)
        #expect(fixture.sound(1) == .full)
        fixture.detect(2, .audible)
        fixture.apply(AdoptionSettings())
        #expect(isDetected)
        #expect(fixture.sound(1) == .lowered(14))
        settings = AdoptionSettings()
        settings.programs = [.init("reader", isIgnored: true)]
        fixture.apply(settings)
        #expect(fixture.tools.detections.isEmpty)
        #expect(fixture.sound(1) == .full)
    }

    @Test("A program of which nothing is known becomes a screen reader without lowering others at once")
    func kindChanges() {
        fixture.stream(2, of: 200)
        #expect(fixture.tools.detections.isEmpty)
        start(3)
        #expect(fixture.session(of: 200)?.configuration.mode == .voicePrompt)
        #expect(isDetected && fixture.tools.detections.count == 2)
        #expect(fixture.tools.commands.isEmpty, "Others are not lowered even for a moment.")
    }

    @Test("A program that a call interrupts is detected again after it")
    func call() throws {
        start()
        fixture.detect(2, .audible)
        let call = try fixture.ring()
        #expect(fixture.sound(2) == .held)
        fixture.detect(2, .inaudible)
        try fixture.end(call)
        #expect(fixture.sound(1) == .full && fixture.sound(2) == .full)
        fixture.detect(2, .audible)
        #expect(fixture.sound(1) == .lowered(14))
    }

    @Test("The description says that a program lowers others only while it is audible")
    func description() {
        start()
        func controls() -> [String]? {
            fixture.session(of: 200).flatMap { fixture.tools.descriptions[$0.id]?.controls }
        }
        #expect(controls() == ["level", "hold", "detection"])
        fixture.detect(2, .undetected)
        #expect(controls() == ["level", "hold"])
    }

    @Test("Whatever happens in whatever order, others are lowered exactly while the program is audible")
    func walk() {
        var random = SeededGenerator(seed: TestSeed.current)
        var (running, audible): (Set<UInt64>, Set<UInt64>) = ([], [])
        for step in 0..<2_000 {
            let id = UInt64.random(in: 2...4, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                start(id)
                running.insert(id)
            case 2:
                fixture.endStream(id)
                running.remove(id)
                audible.remove(id)
            case 3 where fixture.tools.detections[StreamID(id)] != nil:
                fixture.detect(id, .audible)
                audible.insert(id)
            case 4 where fixture.tools.detections[StreamID(id)] != nil:
                fixture.detect(id, .inaudible)
                audible.remove(id)
            default:
                fixture.tools.detections = [:]
                fixture.adopter.controllerLost()
                fixture.stream(1, of: 100)
                for id in running { start(id) }
                fixture.adopter.handle(.synced)
                fixture.settle()
            }
            let isLowered = fixture.sound(1) == .lowered(14)
            #expect(isLowered == !running.isDisjoint(with: audible), "step \(step), seed \(TestSeed.current)")
            #expect(fixture.tools.detections.count == running.count, "step \(step), seed \(TestSeed.current)")
        }
    }
}
