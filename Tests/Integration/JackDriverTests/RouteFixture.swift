import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import SessionArbiter
import TestSupport
import Testing

/// A server with a speaker in addition to its own ports, and a host of sessions on it.
struct RouteFixture {
    /// A long period, so that each client of the graph runs within it on a loaded machine. jackd
    /// continues after two periods, and then does not report every gap and every late client as an
    /// xrun.
    static let periodFrames = 1024
    let name: ServerName
    let server: JackServer
    let speaker: VirtualDevice
    let host: AudioSessionHost
    /// Measures time in frames: silence that is rendered regardless of other sessions.
    private let frameClock: AudioSession
    private let directory: TemporaryDirectory

    init(
        latency: Int = 0, comesBack: Bool = false, hidesServer: Bool = false,
        settings: ArbiterSettings = ArbiterSettings()
    ) throws {
        name = try ServerName()
        server = try JackServer(name, sampleRate: 48_000, periodFrames: Self.periodFrames)
        speaker = try VirtualDevice(
            "Speaker", kind: .builtInSpeaker, on: server.environment, latency: latency, captures: true,
            comesBack: comesBack)
        host = AudioSessionHost(
            driver: JackDriver(
                configuration: .init(
                    server: .named(server.name), clientName: "route-test", inputs: nil,
                    deviceOverrides: hidesServer ? [DeviceOverride(pattern: "system", isHidden: true)] : [])),
            settings: settings)
        directory = try TemporaryDirectory()
        frameClock = try AudioSession(host: host)
        try frameClock.setCategory(.ambient)
    }

    /// Waits until the condition holds, checking it every 2,400 frames.
    func wait(until isSo: () throws -> Bool) throws -> Bool {
        // If sessions are reset with their server, this one was reset, too. Without its category it
        // would interrupt others.
        try frameClock.setCategory(.ambient)
        try frameClock.setActive(true)
        let silence = AudioRendering.VoiceSource.buffer(
            try AudioBuffer([[Float](repeating: 0, count: 2_400)]))
        for _ in 0..<400 {
            if try isSo() { return true }
            let ends = EventLog<Bool>()
            try frameClock.engine.play(silence, on: frameClock.bus) { _ in ends.note(true) }
            guard ends.wait(until: { !$0.isEmpty }) else { return false }
        }
        return try isSo()
    }

    /// Plays a constant level until the session ends.
    @discardableResult
    func play(_ level: Float, on bus: SessionBus, of session: AudioSession) throws -> AudioRendering.Voice {
        let samples = [Float](repeating: level, count: 4_800)
        return try session.engine.play(.buffer(AudioBuffer([samples, samples]), loop: .forever), on: bus)
    }

    /// Waits until these devices receive the given levels, except for periods that a busy machine
    /// omits, and the silent ones receive nothing.
    func hears(_ levels: [(device: VirtualDevice, level: Float)], silent: [VirtualDevice] = []) throws -> Bool {
        // Requires so many frames that most of them cannot belong to a fade.
        func count(_ level: Float, at device: VirtualDevice) throws -> Int {
            try device.captured(last: 1_024)[0].count { abs($0 - level) < 1e-6 }
        }
        return try wait {
            try levels.allSatisfy { try count($0.level, at: $0.device) > 600 }
                && silent.allSatisfy { try count(0, at: $0) == 1_024 }
        }
    }

    /// Returns what a device has received so far on its first channel, and the number of xruns
    /// until then.
    func heard(by device: VirtualDevice) throws -> (samples: [Float], xruns: Int) {
        let samples = try device.captured()[0]
        try letPass()  // an xrun is reported after it was heard
        return (samples, try frameClock.engine.statistics.xruns)
    }

    /// Lets a few tenths of a second pass.
    func letPass() throws {
        var looks = 0
        _ = try wait {
            looks += 1
            return looks > 5
        }
    }

    func plug(
        _ name: String, _ kind: PortType, outputs: Int = 2, inputs: Int = 0, latency: Int = 0,
        sound: VirtualDevice.Sound = .silence,
        comesBack: Bool = false
    ) throws -> VirtualDevice {
        try VirtualDevice(
            name, kind: kind, on: server.environment, outputs: outputs, inputs: inputs, latency: latency, sound: sound,
            captures: outputs > 0, comesBack: comesBack)
    }

    func session(_ category: AudioSession.Category = .playback) throws -> AudioSession {
        let session = try AudioSession(host: host)
        try session.setCategory(category)
        return session
    }

    /// A counting signal in both channels, from 1, that lasts for ten minutes.
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

/// Records each route of a session when the session reports it. Unchecked `Sendable`: immutable
/// after init.
final class RouteLog: @unchecked Sendable {
    let notified = EventLog<[String]>()
    private var token: (any NSObjectProtocol)?

    init(_ session: AudioSession) {
        token = NotificationCenter.default.addObserver(
            forName: AudioSession.routeChangeNotification, object: session, queue: nil
        ) { [notified, weak session] _ in
            notified.note(session?.currentRoute.outputs.map(\.portName) ?? [])
        }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }

    func wait(for names: [String]) -> Bool { notified.wait { $0.last == names } }
}
