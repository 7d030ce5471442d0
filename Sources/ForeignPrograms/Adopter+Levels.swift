/// The commands for the streams of a program.
extension Adopter {
    /// Milliseconds of ramps. PipeWire changes a gain once in a quantum: a shorter attack would
    /// consist of audible steps.
    enum Ramp {
        static let lower = 150
        static let raise = 500
        static let silence = 60
    }

    /// Lets all streams run at `attenuation` dB below full level; nil: in silence.
    mutating func setLevel(_ key: ProgramKey, _ attenuation: Double?) {
        for stream in programs[key]?.outputs ?? [] {
            // A stream without a gain can only be freed.
            let attenuation = stream.canBeLowered ? attenuation : 0
            let before: Double? =
                switch commands[stream.id] {
                case .level(_, let attenuation, _): attenuation
                case .hold: nil
                case nil, .detect, .endDetection: 0
                }
            let ramp =
                switch (before, attenuation) {
                case (_, nil): Ramp.silence
                case (let before?, let attenuation?) where attenuation > before: Ramp.lower
                default: Ramp.raise
                }
            send(.level(stream.id, attenuation: attenuation, milliseconds: ramp))
        }
    }

    mutating func holdStreams(_ key: ProgramKey, milliseconds: Int) {
        for stream in programs[key]?.outputs ?? [] { send(.hold(stream.id, milliseconds: milliseconds)) }
    }

    mutating func silenceStreams(_ key: ProgramKey) {
        // One without a gain stays held.
        for stream in programs[key]?.outputs ?? [] where stream.canBeLowered {
            send(.level(stream.id, attenuation: nil, milliseconds: 0))
        }
    }

    /// Sends a command unless it is the last one of its stream, or a stream that was never changed
    /// is to be restored, or the stream controller does not know the stream yet.
    private mutating func send(_ command: StreamCommand) {
        guard !awaitedStreams.contains(command.stream) else { return }
        let last = commands[command.stream]
        guard last.map({ !$0.hasTarget(of: command) }) ?? !command.restores else { return }
        commands[command.stream] = command
        reached.remove(command.stream)
        tools.send(command)
    }
}
