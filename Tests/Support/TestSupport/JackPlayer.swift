public import AudioRendering
import Foundation
public import JackDriver

/// An engine that plays on a JACK driver, and the log of the driver's events.
public final class JackPlayer: Sendable {
    public let driver: JackDriver
    public let engine: AudioEngine
    public let events = EventLog<DriverEvent>()
    private let buses = EventLog<SessionBus>()
    private let observation: EngineObservation

    /// `onEvent` is called with each event before `events` records it.
    public init(
        _ configuration: JackDriver.Configuration, onEvent: @escaping @Sendable (DriverEvent) -> Void = { _ in }
    ) throws {
        driver = JackDriver(configuration: configuration)
        engine = try AudioEngine(driver: driver)
        observation = engine.observe { [events] event in
            guard case .driver(let event) = event else { return }
            onEvent(event)
            events.note(event)
        }
    }

    /// The test sound of each channel: a sawtooth that counts its 4,800 frames.
    public static let sound = Signal.counting(frames: 4800)

    /// Plays the sound in an endless loop, from the first cycle on.
    @discardableResult
    public func play() throws -> Voice {
        try engine.play(.buffer(AudioBuffer([Self.sound, Self.sound]), loop: .forever), on: makeBus())
    }

    /// Opens the engine, starts playback of the sound, and starts the engine.
    public func start() throws -> Voice {
        try engine.open()
        let voice = try play()
        try engine.start()
        return voice
    }

    /// Makes a bus of another session with an open gate, which lives as long as the player.
    public func makeBus(inputGranted: Bool = false) throws -> SessionBus {
        let gate = try TestGate(rampMilliseconds: 0, inputGranted: inputGranted)
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        buses.note(bus)
        return bus
    }

    public var losses: Int { events.noted.count { $0 == .serverLost } }

    public func waitForEvent(limit: Double = 20, _ isMatch: @escaping (DriverEvent) -> Bool) -> Bool {
        events.wait(limit: limit) { $0.contains(where: isMatch) }
    }

    /// Waits until the core has rendered `frames` more frames, that is until a silence of that
    /// length has finished.
    public func waitForFrames(_ frames: Int, limit: Double = 20) throws -> Bool {
        guard let bus = buses.noted.last else { throw TestFailure("The player was not started.") }
        let ends = EventLog<Bool>()
        let silence = [Float](repeating: 0, count: frames)
        try engine.play(.buffer(AudioBuffer([silence])), on: bus) { ends.note($0.endReason == .finished) }
        return ends.wait(limit: limit) { !$0.isEmpty } && ends.noted == [true]
    }
}
