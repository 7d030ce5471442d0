import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import SessionArbiter
import TestSupport
import Testing

/// A server with a speaker beside its own ports, and a host of sessions on it.
struct RouteDesk {
    /// Long, so that each program of the graph has its turn within it on a loaded machine: jackd goes on after two periods, and then
    /// neither each gap nor each late program is told as an xrun.
    static let periodFrames = 1024
    let name: ServerName
    let server: JackServer
    let speaker: StandIn
    let host: AudioSessionHost
    /// Silence that goes on whatever happens to others: time, in frames.
    private let pacer: AudioSession
    private let directory: TemporaryDirectory

    init(
        latency: Int = 0, comesBack: Bool = false, hidesServer: Bool = false,
        settings: ArbiterSettings = ArbiterSettings()
    ) throws {
        name = try ServerName()
        server = try JackServer(name, sampleRate: 48_000, periodFrames: Self.periodFrames)
        speaker = try StandIn(
            "Speaker", kind: .builtInSpeaker, on: server.environment, latency: latency, captures: true,
            comesBack: comesBack)
        host = AudioSessionHost(
            driver: JackDriver(
                configuration: .init(
                    server: .named(server.name), clientName: "route-test", inputs: nil,
                    deviceOverrides: hidesServer ? [DeviceOverride(pattern: "system", isHidden: true)] : [])),
            settings: settings)
        directory = try TemporaryDirectory()
        pacer = try AudioSession(host: host)
        try pacer.setCategory(.ambient)
    }

    /// Waits until that is so, and looks after every 2,400 frames.
    func wait(until isSo: () throws -> Bool) throws -> Bool {
        // Where sessions are reset with their server, this one was, too; without its category it interrupts others.
        try pacer.setCategory(.ambient)
        try pacer.setActive(true)
        let silence = AudioRendering.VoiceSource.buffer(
            try AudioBuffer([[Float](repeating: 0, count: 2_400)]))
        for _ in 0..<400 {
            if try isSo() { return true }
            let ends = Signpost<Bool>()
            try pacer.engine.play(silence, on: pacer.bus) { _ in ends.note(true) }
            guard ends.wait(until: { !$0.isEmpty }) else { return false }
        }
        return try isSo()
    }

    /// A level that goes on until the session ends.
    @discardableResult
    func play(_ level: Float, on bus: SessionBus, of session: AudioSession) throws -> AudioRendering.Voice {
        let samples = [Float](repeating: level, count: 4_800)
        return try session.engine.play(.buffer(AudioBuffer([samples, samples]), loop: .forever), on: bus)
    }

    /// Waits until what arrives at these devices is that, but for periods that a busy machine leaves out, and nothing arrives at the others.
    func hears(_ levels: [(device: StandIn, level: Float)], silent: [StandIn] = []) throws -> Bool {
        // Enough of it for no fade to be most of it.
        func count(_ level: Float, at device: StandIn) throws -> Int {
            try device.captured(last: 1_024)[0].count { abs($0 - level) < 1e-6 }
        }
        return try wait {
            try levels.allSatisfy { try count($0.level, at: $0.device) > 600 }
                && silent.allSatisfy { try count(0, at: $0) == 1_024 }
        }
    }

    /// What has arrived at a device so far, in its first channel, and how often the server was late until then.
    func heard(by device: StandIn) throws -> (samples: [Float], xruns: Int) {
        let samples = try device.captured()[0]
        try letPass()  // an xrun is told after it was heard
        return (samples, try pacer.engine.statistics.xruns)
    }

    /// Lets some tenths of a second pass.
    func letPass() throws {
        var looks = 0
        _ = try wait {
            looks += 1
            return looks > 5
        }
    }

    func plug(
        _ name: String, _ kind: HardwareKind, outputs: Int = 2, inputs: Int = 0, latency: Int = 0,
        sound: StandIn.Sound = .silence,
        comesBack: Bool = false
    ) throws -> StandIn {
        try StandIn(
            name, kind: kind, on: server.environment, outputs: outputs, inputs: inputs, latency: latency, sound: sound,
            captures: outputs > 0, comesBack: comesBack)
    }

    func session(_ category: AudioSession.Category = .playback) throws -> AudioSession {
        let session = try AudioSession(host: host)
        try session.setCategory(category)
        return session
    }

    /// Frames tell their places, from 1, in both channels; for ten minutes.
    func programme() throws -> VoiceSource {
        let samples = Signal.counting(frames: 960_000)
        return .buffer(try AudioBuffer([samples, samples]))
    }

    func file() throws -> String {
        let path = directory.file("programme.wav")
        let samples = Signal.counting(frames: 480_000)
        if !FileManager.default.fileExists(atPath: path) {
            try SoundFile.write([samples, samples], sampleRate: 48_000, to: path)
        }
        return path
    }
}

/// Notes each route of a session as it is told. Unchecked `Sendable`: immutable after init.
final class RouteDiary: @unchecked Sendable {
    let told = Signpost<[String]>()
    private var token: (any NSObjectProtocol)?

    init(_ session: AudioSession) {
        token = NotificationCenter.default.addObserver(
            forName: AudioSession.routeChangeNotification, object: session, queue: nil
        ) { [told, weak session] _ in
            told.note(session?.currentRoute.outputs.map(\.portName) ?? [])
        }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    func wait(for names: [String]) -> Bool { told.wait { $0.last == names } }
}
