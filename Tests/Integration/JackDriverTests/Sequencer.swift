import AudioRendering
import JackDriver
import TestSupport
import Testing

/// An app that hits an instrument, whose sound is usually one frame, on each quarter of a
/// beat.
final class Sequencer: Sendable {
    let player: JackPlayer
    let client: String
    let scheduler: BeatScheduler
    var transport: AudioTransport { player.engine.transport }

    init(
        _ name: ServerName, client: String = "sequencer", sound: [Float] = [1],
        tempo: Double = 120, role: TransportRole = .follower,
        onBeats: @escaping @Sendable (BeatRange) -> Void = { _ in }
    ) throws {
        self.client = client
        player = try JackPlayer(
            .init(
                server: .named(name.text), clientName: client, outputs: 1, inputs: 0,
                recovery: .within(seconds: 60), connections: .none))
        let engine = player.engine
        try engine.open()
        scheduler = try Self.schedule(on: engine, player.makeBus(), sound, onBeats)
        try engine.transport.setTempoMap(TempoMap(tempo: tempo))
        try engine.start()
        try engine.transport.setRole(role)
        #expect(eventually { engine.transport.position.isServers == (role == .follower || role == .leader) })
    }

    /// Has an engine hit an instrument on each quarter of a beat.
    static func schedule(
        on engine: AudioEngine, _ bus: SessionBus, _ sound: [Float],
        _ onBeats: @escaping @Sendable (BeatRange) -> Void = { _ in }
    ) throws -> BeatScheduler {
        var zone = InstrumentZone(try AudioBuffer([sound]))
        (zone.keyTracking, zone.velocityTracking, zone.isOneShot) = (0, 0, true)
        var configuration = AudioInstrument.Configuration()
        configuration.panLaw = nil
        let instrument = try engine.makeInstrument([zone], on: bus, configuration: configuration)
        return try engine.makeBeatScheduler { beats, queue in
            onBeats(beats)
            for number in beats.steps(every: 0.25) {
                try? queue.at(Double(number) * 0.25, in: beats.pass) {
                    try queue.send(.noteOn(channel: 0, key: 60, velocity: 100), to: instrument)
                }
            }
        }
    }

    /// Waits until the transport rolls, or is stopped.
    func wait(rolling isRolling: Bool) {
        #expect(eventually { self.transport.position.isRolling == isRolling })
    }

    /// Waits until the transport has advanced.
    func advance(beats: Double) {
        let begin = transport.position.beat
        #expect(eventually { self.transport.position.beat >= begin + beats })
    }
}
