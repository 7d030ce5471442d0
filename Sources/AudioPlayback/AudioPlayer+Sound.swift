public import AudioRendering
public import AudioSessions
internal import Platform

/// How the player sounds.
extension AudioPlayer {
    /// The volume: a linear gain, 0 or more; above 1 it amplifies. A new value is reached in 5 ms.
    /// The player ignores negative and non-finite values.
    public var volume: Float {
        get { playback.sound.volume }
        set { setVolume(newValue, fadeDuration: 0.005) }
    }

    /// Ramps to a volume (a linear gain) over `fadeDuration` seconds; more than 3,600 count as
    /// 3,600. The player ignores the call if a value is negative or not finite.
    public func setVolume(_ volume: Float, fadeDuration: Double) {
        playback.setVolume(volume, fadeDuration: fadeDuration)
    }

    /// The balance: -1 left, 0 center (unchanged), 1 right. One channel becomes softer, the other
    /// is never louder. Mono is sent to both. A new value is reached in 5 ms. Values are clamped;
    /// the player ignores a NaN.
    public var pan: Float {
        get { playback.sound.pan }
        set { playback.setPan(newValue) }
    }

    /// The speed, 1/8…8: pitch and tempo together, as of a tape. At 1, as initially, samples at the
    /// server's rate are played bit for bit. A new value is reached in 5 ms. Values are clamped;
    /// the player ignores a NaN.
    public var speed: Float {
        get { playback.sound.speed }
        set { playback.setSpeed(newValue) }
    }

    /// The tempo, 1/4…4, without a change of pitch; 2 takes half the time. At 1, as initially,
    /// nothing is changed. While the player plays, the old and the new tempo crossfade in 5 ms, and
    /// positions are exact to about 50 ms. Values are clamped; the player ignores a NaN.
    ///
    /// The sound is divided into overlapping parts (SoundTouch): good for speech and for tempos
    /// near 1, audible in music at others. `speed` changes the pitch as well, and has no such
    /// effects. Sources of more than 16 channels cannot be played at another tempo than 1: playback
    /// ends with `invalidArgument`.
    public var rate: Float {
        get { playback.sound.rate }
        set { playback.setRate(newValue) }
    }

    /// The level of each channel of the source in the last tenth of a second, before volume and
    /// pan; silence while the player does not play. Any thread may poll it.
    public var levels: [AudioLevel] { playback.levels ?? Array(repeating: AudioLevel(), count: channels) }

    /// Plays on these ports of the session's route from now on; nil: all (MULTI-1). `channelMap`
    /// maps the source's channels to those of the bus (`AudioSession.bus(to:)`), which are those of
    /// the first port, at least two; nil is the standard map. While the player plays, the old and
    /// the new outputs crossfade in 5 ms.
    ///
    /// Throws `badParam` for a port that is not in the route, or a map with other channel counts;
    /// then nothing changes.
    public func setOutputs(_ outputs: [AudioSessionPortDescription]?, channelMap: ChannelMap? = nil) throws {
        let bus = try outputs.map { try session.bus(to: $0) } ?? session.bus
        guard channelMap.map({ $0.inputs == channels && $0.outputs == bus.channels }) ?? true else {
            throw AudioSessionError(
                .badParam, rule: "MULTI-1",
                """
                A channel map from \(channelMap?.inputs ?? 0) to \(channelMap?.outputs ?? 0) channels was requested; \
                '\(path)' has \(channels), and the outputs have \(bus.channels).
                """)
        }
        // Releasing the last reference to a bus changes the engine's plan: not under a lock.
        let previous = playback.sound.bus
        playback.change {
            $0.bus = bus
            $0.map = channelMap
        }
        withExtendedLifetime(previous) {}
        playback.move { $0.position }
    }

    /// Plays each channel of the source on one channel of a port: `assignments[0]` is where the
    /// first one is heard. All belong to one port; for several ports, use a player for each. nil:
    /// all ports, with the standard map (MULTI-1).
    ///
    /// Throws `badParam` for another number of assignments, and for a channel that is not in the
    /// route; then nothing changes.
    public func setChannelAssignments(_ assignments: [AudioSessionChannelDescription]?) throws {
        guard let assignments else { return try setOutputs(nil) }
        let port = session.currentRoute.outputs.first { $0.uid == assignments.first?.owningPortUID }
        let isOnePort = assignments.allSatisfy { $0.owningPortUID == port?.uid }
        guard let port, isOnePort, assignments.count == channels else {
            throw AudioSessionError(
                .badParam, rule: "MULTI-1",
                """
                An assignment of \(assignments.count) channels to the ports \
                \(Set(assignments.map { "'\($0.owningPortUID)'" }).sorted().joined(separator: ", ")) was requested; \
                assign each of the \(channels) channels of '\(path)' to a channel of one port of the route.
                """)
        }
        let outputs = try session.bus(to: [port]).channels
        var rows = Array(repeating: [Float](repeating: 0, count: channels), count: outputs)
        for (channel, assignment) in assignments.enumerated() {
            guard (1...outputs).contains(assignment.channelNumber) else {
                throw AudioSessionError(
                    .badParam, rule: "MULTI-1",
                    """
                    Channel \(assignment.channelNumber) of port '\(port.uid)' was requested; the player can use its \
                    channels 1 to \(outputs).
                    """)
            }
            rows[assignment.channelNumber - 1][channel] = 1
        }
        try setOutputs([port], channelMap: .gains(rows))
    }
}
