import AudioRendering
import CSessionGate
import JackDriver
import TestSupport

/// An engine on a JACK driver that plays a tone, and what its driver told.
final class Player: Sendable {
    let driver: JackDriver
    let engine: AudioEngine
    let events = Signpost<DriverEvent>()
    private let gate: OpenGate
    private let bus = Signpost<SessionBus>()
    private let observation: EngineObservation

    init(_ story: Story, name: String = "faulty", inputs: Int? = 2, switchPatience: Double? = nil) throws {
        var configuration = JackDriver.Configuration(
            server: .named("fake"), clientName: name, inputs: inputs, recovery: .within(seconds: story.recovery),
            callTimeout: story.timeout)
        configuration.switchPatience = switchPatience ?? configuration.switchPatience
        driver = JackDriver(configuration: configuration)
        engine = try AudioEngine(driver: driver)
        // What it delays is told to the server, by a call that waits for all of its clients.
        try engine.setLimiter(AudioLimiter(), of: OutputRoute(firstChannel: 0, channels: 2))
        gate = try OpenGate()
        observation = engine.observe { [events, diary = story.diary] event in
            guard case .driver(let event) = event else { return }
            if case .xrun = event { return events.note(event) }
            diary.note("\(name) event: \(Diary.describe(event))")
            events.note(event)
        }
    }

    /// Plays a tone for ever, from the first cycle on.
    func play() throws {
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        let tone = Signal.counting(frames: 4_800)
        try engine.play(.buffer(AudioBuffer([tone, tone]), loop: .forever), on: bus)
        self.bus.note(bus)
    }

    /// Waits until the core has rendered so much more; false when it does not.
    func waitForFrames(_ frames: Int = 512, limit: Double) -> Bool {
        guard let bus = bus.noted.last else { return false }
        let ends = Signpost<Bool>()
        let silence = [Float](repeating: 0, count: frames)
        guard let buffer = try? AudioBuffer([silence]),
            (try? engine.play(.buffer(buffer), on: bus) { ends.note($0.endReason == .finished) }) != nil
        else { return false }
        return ends.wait(limit: limit) { !$0.isEmpty } && ends.noted == [true]
    }

    func wait(limit: Double, for isWanted: @escaping (DriverEvent) -> Bool) -> Bool {
        events.wait(limit: limit) { $0.contains(where: isWanted) }
    }

    /// A loss and its end, each told or not.
    func waitForLosses(_ count: Int, limit: Double) -> Bool {
        events.wait(limit: limit) { $0.count { $0 == .serverLost } >= count }
    }

    func waitForReturns(_ count: Int, limit: Double) -> Bool {
        events.wait(limit: limit) { events in
            events.count {
                switch $0 {
                case .serverReturned, .serverGone: true
                default: false
                }
            } >= count
        }
    }
}

/// A gate that lets everything through.
///
/// Unchecked `Sendable`: written once, before anyone reads.
private final class OpenGate: @unchecked Sendable {
    let page: OpaquePointer

    init() throws {
        guard let page = sgate_page_create() else { throw TestFailure("There is no memory for a gate.") }
        self.page = page
        sgate_page_set_verdict(
            page,
            sgate_verdict_t(attenuation: 0, ramp_ms: 0, paused: false, muted: false, input_granted: true, serial: 1))
    }

    deinit { sgate_page_destroy(page) }
}
