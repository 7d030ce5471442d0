public import AudioRendering
internal import Platform

/// Plays the messages of a MIDI sequence on the beats of an engine's transport: wherever it is
/// started or moved, and in step with other programs that follow it.
///
/// The player does not set the tempo: `AudioTransport.setTempoMap` with `MIDISequence.tempoMap()`
/// does, unless another program is the leader. When a pass of the transport begins, the player
/// ends the notes that sound, and sends the controllers, programs and pitch bends that the sequence
/// has set up to there. Releasing it ends it, and its notes. It keeps the engine and the target.
public final class MIDISequencePlayer: Sendable {
    private let target: any MIDITarget
    private let scheduler: BeatScheduler
    private let progress: Mutex<Progress>

    /// Creates a player, which plays when the transport rolls. `channels` are those of the sequence
    /// that are played. Throws `invalidArgument` for a lookahead that is not 0.01…10 seconds, or
    /// `noFreeQueue`.
    public init(
        _ sequence: MIDISequence, on engine: AudioEngine, to target: any MIDITarget, channels: MIDIChannels = .all,
        lookahead: Double = 0.2
    ) throws(AudioEngineError) {
        self.target = target
        let progress = Mutex(Progress(Self.timed(sequence, channels)))
        self.progress = progress
        scheduler = try engine.makeBeatScheduler(lookahead: lookahead) { beats, queue in
            progress.withLock { $0.post(beats, to: target, queue) }
        }
    }

    deinit { progress.withLock { progress in for message in progress.endOfNotes { try? target.send(message) } } }

    /// The number of messages that were left out because more waited than a command queue holds.
    public var missedMessages: Int { progress.withLock { $0.missed } }

    /// Returns the messages of the channels, and those without a channel, with their beats.
    private static func timed(_ sequence: MIDISequence, _ channels: MIDIChannels) -> [TimedMessage] {
        let segments = sequence.meterSegments
        var index = 0
        return sequence.events.compactMap { event in
            guard let message = event.message, message.channel.map({ channels.contains(MIDIChannels(Int($0))) }) ?? true
            else { return nil }
            while index + 1 < segments.count, segments[index + 1].ticks.lowerBound <= event.tick { index += 1 }
            let beat = segments.isEmpty ? event.seconds : segments[index].beat(atTick: event.tick)
            return TimedMessage(beat: beat, message: message)
        }
    }
}

private struct TimedMessage {
    let beat: Double
    let message: MIDIMessage
}

/// How far the messages have been posted.
private struct Progress {
    private let messages: [TimedMessage]
    private var pass: TransportPosition.Pass?
    private var next = 0
    var missed = 0

    init(_ messages: [TimedMessage]) { self.messages = messages }

    /// What ends the notes of the channels that the sequence uses.
    var endOfNotes: [MIDIMessage] {
        Set(messages.compactMap(\.message.channel)).sorted().flatMap { channel -> [MIDIMessage] in
            [
                .controlChange(channel: channel, controller: 64, value: 0),
                .controlChange(channel: channel, controller: 123, value: 0),
            ]
        }
    }

    mutating func post(_ beats: BeatRange, to target: any MIDITarget, _ queue: CommandQueue) {
        if beats.pass != pass { begin(beats, target, queue) }
        // A gap: the system was busy for too long.
        while next < messages.count, messages[next].beat < beats.lowerBound { next += 1 }
        while next < messages.count, messages[next].beat < beats.upperBound {
            let timed = messages[next]
            next += 1
            do {
                try queue.at(timed.beat, in: beats.pass) { try queue.send(timed.message, to: target) }
            } catch {
                missed += 1
            }
        }
    }

    private mutating func begin(_ beats: BeatRange, _ target: any MIDITarget, _ queue: CommandQueue) {
        if pass != nil { for message in endOfNotes { try? queue.send(message, to: target) } }
        pass = beats.pass
        next = messages.firstIndex { $0.beat >= beats.lowerBound } ?? messages.count
        for message in ChannelStates(messages[..<next].lazy.map(\.message)).messages {
            try? queue.send(message, to: target)
        }
    }
}

/// What messages have set: the last value of each.
private struct ChannelStates {
    private enum Key: Hashable {
        case controller(UInt8, UInt8)
        case program(UInt8)
        case pressure(UInt8)
        case bend(UInt8)
    }
    private var values: [Key: (order: Int, message: MIDIMessage)] = [:]

    init(_ messages: some Sequence<MIDIMessage>) {
        for (order, message) in messages.enumerated() {
            switch message {
            case .controlChange(let channel, let controller, _) where controller < 120:
                values[.controller(channel, controller)] = (order, message)
            case .programChange(let channel, _): values[.program(channel)] = (order, message)
            case .channelPressure(let channel, _): values[.pressure(channel)] = (order, message)
            case .pitchBend(let channel, _): values[.bend(channel)] = (order, message)
            default: break
            }
        }
    }

    /// In the order in which they were set, so that a bank precedes its program.
    var messages: [MIDIMessage] { values.values.sorted { $0.order < $1.order }.map(\.message) }
}
