import AudioPlayback
import AudioRendering
import AudioSessions
import CLatencyProbe
import Foundation
import Processes

/// The ways in which an app plays a sound immediately.
enum Action: Int, CaseIterable {
    /// `CommandQueue.trigger`, as used by games and instruments.
    case trigger
    /// The same for a frame one period ahead.
    case scheduled
    /// `AudioEngine.play` with samples in memory.
    case play
    /// `AudioPlayer.play()` with a file.
    case player

    var call: String {
        switch self {
        case .trigger: "CommandQueue.trigger"
        case .scheduled: "CommandQueue.trigger(at:)"
        case .play: "AudioEngine.play"
        case .player: "AudioPlayer.play"
        }
    }
}

/// The objects that the actions need, created in advance.
private struct Stage {
    var commands: CommandQueue
    var engine: AudioEngine
    var bus: SessionBus
    var impulse: Sound
    var buffer: AudioBuffer
    var map: ChannelMap
    var player: AudioPlayer

    func perform(_ action: Action, _ value: Float, at time: UInt64?) throws {
        switch action {
        case .trigger, .scheduled: try commands.trigger(impulse, gain: value, at: time)
        case .play: try engine.play(.buffer(buffer), on: bus, gain: value, map: map)
        case .player: try player.play()
        }
    }
}

extension ProbedApp {
    /// Performs each kind of action, alternately on a thread of normal priority and on one with
    /// real-time priority. Returns the number of repetitions, and then for each action: its kind,
    /// whether it was in real time, the milliseconds from before the call to the first frame, and
    /// the frames by which a requested time was missed.
    func act(_ rounds: Int, _ actions: [Action], _ sounds: Sounds) throws -> [Double] {
        let path = try Self.writeFile()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let stage = Stage(
            commands: commands, engine: engine, bus: try session.bus, impulse: sounds.impulse,
            buffer: try AudioBuffer([[1]]), map: try .gains([[1], [0]]),
            player: try AudioPlayer(path: path, session: session))
        var (results, repeated) = ([Double](), 0)
        for turn in 0..<(rounds * 2 * actions.count) {
            let round = turn / (2 * actions.count)
            let action = actions[(turn / 2 + round) % actions.count]
            let isRealTime = (turn + round) % 2 == 0
            var found = try act(action, inRealTime: isRealTime, stage)
            while found == nil {
                try repeatOnce(&repeated, of: rounds)
                found = try act(action, inRealTime: isRealTime, stage)
            }
            results += [Double(action.rawValue), isRealTime ? 1 : 0] + (found ?? [])
        }
        return [Double(repeated)] + results
    }

    /// Returns nil if the action must be repeated because the server was late meanwhile.
    private func act(_ action: Action, inRealTime: Bool, _ stage: Stage) throws -> [Double]? {
        defer { Scheduling.useNormal() }
        let origin = action == .scheduled ? try findOrigin() : 0
        let (value, xruns) = (nextID(), latency_probe_xruns(probe))
        forgetAll()
        if inRealTime { try Scheduling.useRealTime() }
        rest(periods: 2)
        let begun = latency_time_us()
        var time: UInt64?
        if action == .scheduled {
            let wanted = latency_probe_frame(probe, begun) &+ UInt32(period)
            let present = engine.currentFrame
            time = UInt64(Int(present) + frames(from: origin &+ UInt32(truncatingIfNeeded: present), to: wanted))
        }
        try stage.perform(action, value, at: time)
        if inRealTime { Scheduling.useNormal() }
        let heard = hear(at: .app) { action == .player ? $0.value != 0 : $0.value == value }
        let late =
            heard.flatMap { heard in
                time.map { frames(from: origin &+ UInt32(truncatingIfNeeded: $0), to: heard.frame) }
            } ?? 0
        try checkTaps()
        if action == .player { try silence(stage.player) }
        guard !wasLate(since: xruns, isSuspect: late != 0), let heard else { return nil }
        return [(heard.time_us - Double(begun)) / 1000, Double(late)]
    }

    private func silence(_ player: AudioPlayer) throws {
        player.stop()
        player.currentTime = 0
        try wait(for: "silence") { latency_probe_level(probe, Tap.app.rawValue) == 0 }
    }

    /// Writes a file with a tenth of a second at full scale.
    private static func writeFile() throws -> String {
        let samples = [Int16](repeating: .max, count: 4_800)
        let bytes = samples.count * 2
        var data = Data("RIFF".utf8)
        func put<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
        }
        put(UInt32(36 + bytes))
        data.append(Data("WAVEfmt ".utf8))
        put(UInt32(16))
        for value in [UInt16(1), 1] { put(value) }
        for value in [UInt32(48_000), 96_000] { put(value) }
        for value in [UInt16(2), 16] { put(value) }
        data.append(Data("data".utf8))
        put(UInt32(bytes))
        samples.forEach(put)
        let path = "/dev/shm/latency-\(getpid()).wav"
        try data.write(to: URL(fileURLWithPath: path))
        return path
    }
}
