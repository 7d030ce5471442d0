import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import PeerProtocol

/// An active session, and its sound.
final class Stream: Sendable {
    private let host: AudioSessionHost
    private let session: AudioSession
    private let sound: Sound
    private let notices: Notices

    /// The effect of `play`.
    private enum Sound: Sendable {
        /// A buffer on the session's bus, as a game plays a shot.
        case buffer(AudioBuffer)
        case player(AudioPlayer)
        /// Only a flag that a render callback reads, as in libraries without a mixer.
        case flag(Voice)
        /// A sound that plays all the time.
        case endless(Voice, AudioSessionInput?)
    }

    init(task: peer_task_t, name: String, way: String, rate: Int) throws {
        let server = ProcessInfo.processInfo.environment["JACK_DEFAULT_SERVER"] ?? "default"
        host = AudioSessionHost(
            driver: JackDriver(configuration: .init(server: .named(server), clientName: name, outputs: 2, inputs: nil)),
            arbitration: .inProcess)
        session = try AudioSession(host: host)
        try session.setCategory(task == PEER_THROUGH ? .playAndRecord : .playback)
        try session.setActive(true)
        notices = Notices(session)
        sound =
            switch task {
            case PEER_COUNT: try Self.count(session)
            case PEER_THROUGH: try Self.through(session)
            default: try Self.prepare(way, session, rate)
            }
    }

    private static func count(_ session: AudioSession) throws -> Sound {
        let samples = (0..<UInt32(PEER_COUNT_LENGTH)).map(peer_count_sample)
        return .endless(
            try session.engine.play(.buffer(AudioBuffer([samples, samples]), loop: .forever), on: session.bus), nil)
    }

    private static func through(_ session: AudioSession) throws -> Sound {
        let input = try AudioSessionInput(session: session, channels: 2)
        try input.start()
        return .endless(try session.engine.play(.input(input.capture), on: session.bus), input)
    }

    private static func prepare(_ way: String, _ session: AudioSession, _ rate: Int) throws -> Sound {
        let frames = Int(PEER_SOUND_FRAMES)
        let samples = [Float](repeating: PEER_SOUND_LEVEL, count: frames)
        switch way {
        case "player":
            let path = soundFile
            let file = try AudioFileWriter(path: path, channels: 1, sampleRate: rate)
            try file.write(samples, frameCount: frames)
            if let error = file.close() { throw error }
            return .player(try AudioPlayer(path: path, session: session))
        case "callback":
            let source = RenderSource(channels: 1) { _, planes, _, nframes in
                peer_fill(planes?[0], nframes, 1)
                return nframes
            }
            return .flag(try session.engine.play(.render(source), on: session.bus))
        default: return .buffer(try AudioBuffer([samples], sampleRate: rate))
        }
    }

    /// The player's file. Each `play()` opens the stream of a file again.
    private static var soundFile: String { NSTemporaryDirectory() + "peer-ours-\(getpid()).wav" }

    func play() throws {
        switch sound {
        case .buffer(let buffer): try session.engine.play(.buffer(buffer), on: session.bus)
        case .player(let player): try player.play()
        case .flag: peer_trigger()
        case .endless: break
        }
    }

    var rate: Int { host.format?.sampleRate ?? 0 }
    var period: Int { host.format?.periodFrames ?? 0 }
    var isRunning: Bool { session.isActive && host.format != nil }

    func close() {
        try? session.setActive(false)
        host.close()
        if case .player = sound { unlink(Self.soundFile) }
    }
}
