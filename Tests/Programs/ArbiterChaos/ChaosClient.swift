import ArbiterTesting
import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import TestRandom

/// One app: it sets categories, activates and deactivates at random. The line `quiet` on its
/// standard input stops that, `view` makes it print its view of its session, and the end of the
/// input ends it.
final class ChaosClient {
    private var random: SeededGenerator
    private let driver = OfflineDriver(channels: 2, inputChannels: 1)
    private let host: AudioSessionHost
    private var session: AudioSession
    private var isQuiet = false
    private var counts = View.Counts()

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        host = AudioSessionHost(driver: driver, arbitration: .automatic)
        session = try Self.begin(host)
    }

    /// Creates the session, with retries: an overloaded arbiter that did not answer in time may
    /// answer the next attempt.
    private static func begin(_ host: AudioSessionHost) throws -> AudioSession {
        for _ in 1..<5 {
            if let session = try? AudioSession(host: host) { return session }
        }
        return try AudioSession(host: host)
    }

    func run() throws {
        let input = FileHandle.standardInput
        guard host.arbiter.storesPermissions else { return say("alone") }
        say("ready")
        while true {
            var watched = pollfd(fd: input.fileDescriptor, events: Int16(POLLIN), revents: 0)
            if poll(&watched, 1, isQuiet ? -1 : Int32(20 + random.below(500))) == 0 {
                act()
                continue
            }
            let data = input.availableData
            guard !data.isEmpty else { return }
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                if line == "quiet" { isQuiet = true }
                if line == "quiet" { say("quiet") }
                if line == "view" { say(String(decoding: try JSONEncoder().encode(try view()), as: UTF8.self)) }
            }
        }
    }

    private func act() {
        do {
            counts.acts += 1
            switch random.below(8) {
            case 0...3: try session.setActive(true)
            case 4...5: try session.setActive(false, options: random.oneIn(2) ? .notifyOthersOnDeactivation : [])
            default: try configure()
            }
        } catch {
            counts.refused += 1
            guard let error = error as? AudioSessionError else { return }
            if error.errorCode == .expiredSession { renew() }
            if error.errorCode == .resourceNotAvailable, error.rule == nil { counts.unserved += 1 }
        }
    }

    private func configure() throws {
        switch random.below(7) {
        case 0: try session.setCategory(.playback)
        case 1: try session.setCategory(.playback, options: .mixWithOthers)
        case 2: try session.setCategory(.playback, options: .duckOthers)
        case 3: try session.setCategory(.ambient)
        case 4: try session.setCategory(.playback, mode: .spokenAudio)
        case 5: try session.setCategory(.playback, options: .interruptSpokenAudioAndMixWithOthers)
        default: try session.setCategory(.soloAmbient)
        }
    }

    private func renew() {
        counts.renewed += 1
        if let next = try? AudioSession(host: host) { session = next }
    }

    /// Processes all received updates, renders until every ramp has ended, and returns the app's
    /// view.
    private func view() throws -> View {
        host.arbiter.drain()
        var gain: Float?
        if driver.isRendering, (try? driver.render(frames: 30_000)) != nil { gain = try session.bus.gateGain }
        let state = session.state
        return View(
            process: getpid(), session: session.id, activity: state.activity.rawValue, attenuation: state.attenuation,
            isMuted: state.isMuted, gain: gain, counts: counts)
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

/// An app's view of its session.
struct View: Codable {
    struct Counts: Codable {
        var acts = 0
        var refused = 0
        /// The number of calls that no arbiter answered.
        var unserved = 0
        /// The number of sessions that were lost and created again.
        var renewed = 0
    }

    var process: Int32
    var session: UInt64
    var activity: String
    var attenuation: Double
    var isMuted: Bool
    /// The gain of its gate, as the engine read it; nil while the engine is not running.
    var gain: Float?
    var counts: Counts
}
