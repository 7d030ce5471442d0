internal import Platform

/// Sends the transport as MIDI clock to an output: 24 clocks per quarter note, each on its frame,
/// while the transport rolls.
///
/// As soon as the transport has another position, the sender sends it as a song position, so that
/// receivers are ready there; when the transport starts, it sends start (at the start of the piece)
/// or continue (elsewhere). A song position is a sixteenth note: from another place, the clocks
/// begin with the next sixteenth. When a pass of the transport ends, the sender sends stop, some
/// milliseconds later. Releasing the sender ends it, with a stop. It keeps the engine and the
/// output.
public final class MIDIClockSender: Sendable {
    private let output: MIDIOutput
    private let scheduler: BeatScheduler
    private let progress: Mutex<ClockProgress>

    fileprivate init(_ engine: AudioEngine, _ output: MIDIOutput) throws(AudioEngineError) {
        self.output = output
        let progress = Mutex(ClockProgress())
        self.progress = progress
        let transport = engine.transport
        scheduler = try engine.makeBeatScheduler { beats, queue in
            // Beats of the meter per quarter note.
            let position = transport.position
            let perQuarter = Double(position.meter.beatUnit) / 4
            progress.withLock { $0.post(beats, perQuarter: perQuarter, to: output, queue) }
        }
    }

    deinit { if progress.withLock({ $0.pass != nil }) { try? output.send(.stop) } }
}

/// How far the clocks have been posted.
private struct ClockProgress {
    var pass: TransportPosition.Pass?
    /// The beat of the next clock.
    private var next = 0.0

    /// Posts the clocks of a range of beats. A full queue leaves out clocks.
    mutating func post(
        _ beats: BeatRange, perQuarter: Double, to output: MIDIOutput, _ queue: CommandQueue
    ) {
        if beats.pass != pass { begin(beats, perQuarter: perQuarter, output, queue) }
        while next < beats.upperBound {
            try? queue.at(next, in: beats.pass) { try queue.send(.clock, to: output) }
            next += perQuarter / 24
        }
    }

    /// Posts what precedes the clocks of a pass.
    private mutating func begin(_ beats: BeatRange, perQuarter: Double, _ output: MIDIOutput, _ queue: CommandQueue) {
        if pass != nil { try? queue.send(.stop, to: output) }
        pass = beats.pass
        let sixteenths = max(0, (beats.lowerBound / perQuarter * 4 - 1e-9).rounded(.up))
        next = sixteenths * perQuarter / 4
        // Before the transport rolls: receivers need time to prepare for their new position.
        try? queue.send(.songPosition(Int(min(sixteenths, 16_383))), to: output)
        try? queue.at(beats.lowerBound, in: beats.pass) {
            try queue.send(sixteenths > 0 ? .continue : .start, to: output)
        }
    }
}

extension AudioEngine {
    /// Makes a sender of MIDI clock to an output of this engine. Throws `invalidArgument` for an
    /// output of another engine, or `noFreeQueue`.
    public func makeMIDIClockSender(to output: MIDIOutput) throws(AudioEngineError) -> MIDIClockSender {
        guard output.midiIdentity.belongs(to: control) else {
            throw .invalidArgument(what: "a MIDI clock to an output of another engine")
        }
        return try MIDIClockSender(self, output)
    }
}
