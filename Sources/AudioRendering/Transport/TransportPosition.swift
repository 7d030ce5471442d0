internal import CRenderCore

/// Where a transport is at a frame of the engine's clock.
public struct TransportPosition: Equatable, Sendable {
    /// A stretch of time in which the transport rolls without a jump. The next one begins when it
    /// stops, whenever its position jumps, also while it is stopped, and when it gets another tempo
    /// map while it does not roll.
    public struct Pass: Hashable, Sendable {
        let number: UInt32
    }

    /// The frame of the engine's clock (`AudioEngine.currentFrame`) at which the transport is here.
    public let engineFrame: UInt64
    /// Frames from the start of the piece. With a MIDI clock or time code: since the last start or
    /// jump, which was at the frame of its beat by the tempo map.
    public let frame: Int
    /// Beats from the start of the piece.
    public let beat: Double
    /// Beats per minute.
    public let tempo: Double
    public let meter: Meter
    /// The number of the bar, from 1.
    public let bar: Int
    /// The beat within the bar: from 1 to below `meter.beatsPerBar` + 1, with a fraction.
    public let beatInBar: Double
    public let pass: Pass
    /// Whether the transport rolls. Otherwise it stays at this position.
    public let isRolling: Bool
    /// Whether the transport has been started and waits: for schedulers; for any client that is not
    /// ready, if it is the server's; for the next MIDI clock; or for the time code of its position.
    public let isStarting: Bool
    /// Whether the server's transport has a leader: that program says where the beats are.
    /// Otherwise, the engine's tempo map or the MIDI clock says so.
    public let hasLeader: Bool
    /// Whether this is the server's transport.
    public let isServers: Bool
    /// The time code of the position, in the role `midiTimeCode`; nil until one has come.
    public let timeCode: TimeCode?
    /// The length of a beat in frames, at the current tempo.
    public let framesPerBeat: Double
    /// The beat at which the pass began.
    let passBegin: Double
    /// Whether the engine's tempo map says where the beats are.
    let isByMap: Bool
    /// In Hz.
    let sampleRate: Double

    init(_ core: rcore_transport_t, sampleRate: Int) {
        engineFrame = core.time
        frame = Int(core.frame)
        beat = core.beat
        tempo = core.beats_per_minute
        meter = Meter(Int(core.beats_per_bar), Int(core.beat_unit))
        bar = Int(core.bar) + 1
        beatInBar = core.beat - core.bar_begin + 1
        pass = Pass(number: core.pass)
        isRolling = core.is_rolling
        isStarting = core.is_starting
        hasLeader = core.has_leader
        isServers = core.source == RCORE_TRANSPORT_SERVER
        framesPerBeat = 60 * Double(sampleRate) / core.beats_per_minute
        timeCode = TimeCode.Rate(core.time_code_rate).map { TimeCode(totalSeconds: core.time_code, rate: $0) }
        passBegin = core.pass_begin
        isByMap = core.is_by_map
        self.sampleRate = Double(sampleRate)
    }

    /// Returns the beat at a frame of the engine's clock, if the transport rolls on at this tempo.
    /// A transport that catches up with a MIDI clock is faster or slower for some clocks.
    public func beat(atFrame engineFrame: UInt64) -> Double {
        guard isRolling else { return beat }
        return beat + (Double(engineFrame) - Double(self.engineFrame)) / framesPerBeat
    }

    /// Whether observers are notified of the difference to a position: everything but the progress.
    func differs(from other: TransportPosition) -> Bool {
        pass != other.pass || isRolling != other.isRolling || isStarting != other.isStarting
            || isServers != other.isServers || hasLeader != other.hasLeader || abs(tempo - other.tempo) > 0.005
            || meter != other.meter
    }
}
