import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import PeerProtocol
import Synchronization

// The package, used through its public API only, for the comparison with other libraries.

/// An active session, and its sound.
final class Stream: Sendable {
    private let host: AudioSessionHost
    private let session: AudioSession
    private let sound: Sound

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

    init(_ options: peer_options_t) throws {
        let server = ProcessInfo.processInfo.environment["JACK_DEFAULT_SERVER"] ?? "default"
        let client = String(cString: options.name)
        host = AudioSessionHost(
            driver: JackDriver(
                configuration: .init(server: .named(server), clientName: client, outputs: 2, inputs: nil)),
            arbitration: .inProcess)
        session = try AudioSession(host: host)
        try session.setCategory(options.task == PEER_THROUGH ? .playAndRecord : .playback)
        try session.setActive(true)
        for (name, text) in [
            (AudioSession.mediaServicesWereLostNotification, "mediaServicesWereLost"),
            (AudioSession.mediaServicesWereResetNotification, "mediaServicesWereReset"),
        ] {
            // The observers exist as long as the process.
            _ = NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { _ in
                peer_notice(text)
            }
        }
        sound = try Self.prepare(options, session)
    }

    private static func prepare(_ options: peer_options_t, _ session: AudioSession) throws -> Sound {
        let engine = try session.engine
        let frames = Int(PEER_SOUND_FRAMES)
        let samples = [Float](repeating: PEER_SOUND_LEVEL, count: frames)
        switch (options.task, String(cString: options.way)) {
        case (PEER_COUNT, _):
            let count = (0..<UInt32(PEER_COUNT_LENGTH)).map(peer_count_sample)
            let buffer = try AudioBuffer([count, count])
            return .endless(try engine.play(.buffer(buffer, loop: .forever), on: session.bus), nil)
        case (PEER_THROUGH, _):
            let input = try AudioSessionInput(session: session, channels: 2)
            try input.start()
            return .endless(try engine.play(.input(input.capture), on: session.bus), input)
        case (_, "player"):
            let file = try AudioFileWriter(path: soundFile, channels: 1, sampleRate: Int(options.rate))
            try file.write(samples, frameCount: frames)
            if let error = file.close() { throw error }
            return .player(try AudioPlayer(path: soundFile, session: session))
        case (_, "callback"):
            let source = RenderSource(channels: 1) { _, planes, _, nframes in
                peer_fill(planes?[0], nframes, 1)
                return nframes
            }
            return .flag(try engine.play(.render(source), on: session.bus))
        default: return .buffer(try AudioBuffer([samples], sampleRate: Int(options.rate)))
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

    var format: (rate: Int, period: Int) { (host.format?.sampleRate ?? 0, host.format?.periodFrames ?? 0) }
    var isRunning: Bool { session.isActive && host.format != nil }

    func close() {
        try? session.setActive(false)
        host.close()
        if case .player = sound { unlink(Self.soundFile) }
    }
}

/// The stream that the benchmark controls, once it is open.
let stream = Mutex<Stream?>(nil)

var peer = peer_t(
    open: { options, opened in
        guard let options = options?.pointee, let opened else { return false }
        do {
            let made = try Stream(options)
            peer_describe(opened, "swift-audio-session", "JACK")
            (opened.pointee.rate, opened.pointee.period) = (UInt32(made.format.rate), UInt32(made.format.period))
            stream.withLock { $0 = made }
            return true
        } catch {
            peer_refuse("\(error)")
            return false
        }
    },
    play: {
        do { try stream.withLock { $0 }?.play() } catch { peer_notice("\(error)") }
    },
    is_running: { stream.withLock { $0 }?.isRunning == true },
    close: {
        let closed = stream.withLock { stream in
            defer { stream = nil }
            return stream
        }
        closed?.close()
    })
exit(peer_run(CommandLine.argc, CommandLine.unsafeArgv, &peer))
