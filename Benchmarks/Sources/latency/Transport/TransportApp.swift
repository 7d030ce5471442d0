import AudioRendering
import AudioSessions
import Foundation
import Processes
import Servers

/// A child process with an app on the server's transport, which plays one frame at some of the
/// beats.
final class TransportApp: SessionApp {
    /// The name of the part that performs it.
    static let part = "transport-app"
    private var scheduler: BeatScheduler?

    override func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "open": try open(server: words[1], client: words[2])
        case "role": try transport().setRole(words[1] == "leader" ? .leader : .follower)
        case "tempo": try transport().setTempo(Double(words[1]) ?? 0)
        case "ready": try awaitStart(hasLeader: words[1] == "true")
        case "start": try transport().start()
        case "close":
            scheduler = nil
            close()
        default: return try super.perform(words)
        }
        return []
    }

    private func transport() throws -> AudioTransport { try required().engine.transport }

    private func open(server: String, client: String) throws {
        let session = try open(Self.makeHost(server, client))
        let engine = try session.engine
        let sound = try engine.makeSound(AudioBuffer([[0.5]]), on: session.bus, map: .gains([[1], [0]]))
        scheduler = try engine.makeBeatScheduler { beats, queue in
            for (step, beat) in TransportBeats.steps where beats.steps(every: TransportBeats.step).contains(step) {
                try? queue.at(beat, in: beats.pass) { try queue.trigger(sound) }
            }
        }
    }

    /// Waits until the app's transport is stopped at its start, and has a leader or none.
    private func awaitStart(hasLeader: Bool) throws {
        let transport = try transport()
        try wait(for: "the transport's start") {
            let position = transport.position
            return position.isServers && !position.isRolling && !position.isStarting && position.frame == 0
                && position.hasLeader == hasLeader
        }
    }
}

/// The beats at which all clients play.
enum TransportBeats {
    static let step = 0.5
    /// The numbers of the steps, with their beats.
    static let steps = [0, 2, 7].map { (number: $0, beat: Double($0) * step) }

    /// Returns the frames of the transport that are nearest to the beats.
    static func frames(tempo: Double) -> [Int] {
        let framesPerBeat = Double(Server.sampleRate) * 60 / tempo
        return steps.map { Int(($0.beat * framesPerBeat).rounded()) }
    }
}
