import AudioRendering
import CSessionGate
import Foundation
import JackDriver
import TestSupport

/// An engine on a JACK driver with one open session bus, and what its driver told.
final class Player: Sendable {
    let driver: JackDriver
    let engine: AudioEngine
    let events = Signpost<DriverEvent>()
    private let gate: OpenGate
    private let bus = Signpost<SessionBus>()
    private let observation: EngineObservation

    init(_ configuration: JackDriver.Configuration) throws {
        driver = JackDriver(configuration: configuration)
        engine = try AudioEngine(driver: driver)
        gate = try OpenGate()
        observation = engine.observe { [events] event in
            if case .driver(let event) = event { events.note(event) }
        }
    }

    /// Opens, and plays a sound for ever: in each channel a sawtooth that counts its 4,800 frames.
    func start() throws -> Voice {
        try engine.open()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        self.bus.note(bus)
        let voice = try engine.play(.buffer(AudioBuffer([Self.sound, Self.sound]), loop: .forever), on: bus)
        try engine.start()
        return voice
    }

    /// Another session's bus, which lives as long as the player.
    func makeBus(inputGranted: Bool = false) throws -> SessionBus {
        let gate = try OpenGate(inputGranted: inputGranted)
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        self.bus.note(bus)
        return bus
    }

    static let sound = Signal.counting(frames: 4800)

    var losses: Int { events.noted.count { $0 == .serverLost } }

    func waitForEvent(limit: Double = 20, _ isWanted: @escaping (DriverEvent) -> Bool) -> Bool {
        events.wait(limit: limit) { $0.contains(where: isWanted) }
    }

    /// Waits until the core has rendered `frames` more: for the end of a silence of that length.
    func waitForFrames(_ frames: Int, limit: Double = 20) throws -> Bool {
        guard let bus = bus.noted.last else { throw TestFailure("The player was not started.") }
        let ends = Signpost<Bool>()
        let silence = [Float](repeating: 0, count: frames)
        try engine.play(.buffer(AudioBuffer([silence])), on: bus) { _ in ends.note(true) }
        return ends.wait(limit: limit) { !$0.isEmpty }
    }

    /// The names of the ports that its ports are connected to, as another program sees them.
    func links(on server: JackServer, client: String) throws -> Set<String> {
        let listing = try ChildProcess.run("jack_lsp", ["-c", client + ":"], environment: server.environment)
        var links: Set<String> = []
        var port = ""
        for line in listing.output.split(separator: "\n") {
            if line.hasPrefix("   ") {
                links.insert("\(port) → \(line.drop { $0 == " " })")
            } else {
                port = String(line)
            }
        }
        return links
    }
}

/// A gate that lets everything through.
///
/// Unchecked `Sendable`: written once, before anyone reads.
final class OpenGate: @unchecked Sendable {
    let page: OpaquePointer

    init(inputGranted: Bool = false) throws {
        guard let page = sgate_page_create() else { throw TestFailure("There is no memory for a gate.") }
        self.page = page
        sgate_page_set_verdict(
            page,
            sgate_verdict_t(
                attenuation: 0, ramp_ms: 0, paused: false, muted: false, input_granted: inputGranted, serial: 1))
    }

    deinit { sgate_page_destroy(page) }
}
