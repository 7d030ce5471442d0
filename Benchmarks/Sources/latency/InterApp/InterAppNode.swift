import AudioRendering
import AudioSessions
import Foundation
import InterAppAudio
import JackDriver
import Processes
import Servers

/// A child process with a node: an effect, which passes on what it receives, or a generator, which
/// plays the sound on command.
final class InterAppNode: SessionApp {
    /// The name of the part that performs it.
    static let part = "inter-app-node"
    private var node: AudioNode?
    private var player: (queue: CommandQueue, sound: Sound)?

    override func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "open": try open(server: words[1], kind: words[2])
        case "sound": try playSound()
        case "close":
            (player, node) = (nil, nil)
            close()
        default: return try super.perform(words)
        }
        return []
    }

    override var late: Int { node?.engine.statistics.xruns ?? 0 }

    private func open(server: String, kind: String) throws {
        guard let kind = NodeDescription.Kind(rawValue: kind) else { throw BenchmarkError("unknown kind of node") }
        let host = AudioSessionHost(
            driver: JackDriver(
                configuration: .init(
                    server: .named(server), clientName: "latency-\(kind.rawValue)", outputs: 2, connections: .none)))
        self.host = host
        let node = try AudioNode(.init(kind: kind, name: kind.rawValue), on: host)
        self.node = node
        if let input = node.input {
            try node.engine.play(.input(input), on: node.bus)
        } else {
            player = (try node.engine.makeCommandQueue(), try InterAppSound.make(on: node.bus, of: node.engine))
        }
    }

    /// Plays the sound at a random frame of one of the next periods.
    private func playSound() throws {
        guard let node, let player else { throw BenchmarkError("no generator is open") }
        try player.queue.trigger(player.sound, at: InterAppSound.randomFrame(of: node.engine))
    }
}

/// What an app sends to another one: each sample differs from the one before, so every frame of it
/// is compared. It begins and ends quietly, because a host fades a node out that breaks off.
enum InterAppSound {
    static let frames = 999
    /// The values are exact, and no gain of 1 changes them.
    static func value(_ frame: Int) -> Float { Float(min(frame + 1, frames - frame)) / 4_096 }

    /// Makes the sound, on the first channel of a bus.
    static func make(on bus: any AudioBus, of engine: AudioEngine) throws -> Sound {
        try engine.makeSound(
            AudioBuffer([(0..<frames).map(value)]), on: bus, map: .gains([[1], [0]]))
    }

    static func randomFrame(of engine: AudioEngine) -> UInt64 {
        let period = engine.format?.periodFrames ?? 0
        return engine.currentFrame + UInt64(4 * period) + .random(in: 0..<UInt64(max(1, period)))
    }
}
