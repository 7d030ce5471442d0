public import AudioRendering
import Foundation
public import JackDriver

/// An engine on a JACK driver that plays, and the events of its driver.
public final class JackPlayer: Sendable {
    public let driver: JackDriver
    public let engine: AudioEngine
    public let events = Signpost<DriverEvent>()
    private let buses = Signpost<SessionBus>()
    private let observation: EngineObservation

    /// `onEvent` is called with each event before it is in `events`.
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

    /// In each channel of what plays: a sawtooth that counts its 4,800 frames.
    public static let sound = Signal.counting(frames: 4800)

    /// Plays the sound for ever, from the first cycle on.
    @discardableResult
    public func play() throws -> Voice {
        try engine.play(.buffer(AudioBuffer([Self.sound, Self.sound]), loop: .forever), on: makeBus())
    }

    /// Opens, plays, and starts.
    public func start() throws -> Voice {
        try engine.open()
        let voice = try play()
        try engine.start()
        return voice
    }

    /// Another session's bus with an open gate, which lives as long as the player.
    public func makeBus(inputGranted: Bool = false) throws -> SessionBus {
        let gate = try TestGate(rampMilliseconds: 0, inputGranted: inputGranted)
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        buses.note(bus)
        return bus
    }

    public var losses: Int { events.noted.count { $0 == .serverLost } }

    public func waitForEvent(limit: Double = 20, _ isWanted: @escaping (DriverEvent) -> Bool) -> Bool {
        events.wait(limit: limit) { $0.contains(where: isWanted) }
    }

    /// Waits until the core has rendered `frames` more: for the end of a silence of that length.
    public func waitForFrames(_ frames: Int, limit: Double = 20) throws -> Bool {
        guard let bus = buses.noted.last else { throw TestFailure("The player was not started.") }
        let ends = Signpost<Bool>()
        let silence = [Float](repeating: 0, count: frames)
        try engine.play(.buffer(AudioBuffer([silence])), on: bus) { ends.note($0.endReason == .finished) }
        return ends.wait(limit: limit) { !$0.isEmpty } && ends.noted == [true]
    }
}
