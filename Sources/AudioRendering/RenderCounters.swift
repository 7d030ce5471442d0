internal import CRenderCore

/// Counters of the render core since its creation.
public struct RenderCounters: Equatable, Sendable {
    /// Cycles processed.
    public var cycles: UInt64
    /// Timed commands that took effect after their frame, or whose bus or voice was suspended then.
    public var lateCommands: UInt64
    /// Events lost because they were not read in time.
    public var droppedEvents: UInt64
    /// Frames that streams, or the disk for notes of streamed sounds, did not deliver in time.
    public var underrunFrames: UInt64
    /// Voices that were stolen: faded out in favor of another voice.
    public var stolenVoices: UInt64
    /// Voices that did not start because voices of higher priority used the whole polyphony.
    public var refusedVoices: UInt64
    /// Output samples that were NaN or infinite and were replaced by silence.
    public var nonFiniteSamples: UInt64
    /// MIDI messages that did not reach their instruments and outputs because a period had more
    /// than 8,192 of them.
    public var droppedMIDI: UInt64
    /// Bytes of the render thread's memory that the system refused to lock (see `ulimit -l`).
    public var unlockedBytes: UInt64
    /// Voices that are playing, as of the last cycle.
    public var playingVoices: Int

    init(_ counters: rcore_counters_t) {
        cycles = counters.cycles
        lateCommands = counters.late_commands
        droppedEvents = counters.dropped_events
        underrunFrames = counters.underrun_frames
        stolenVoices = counters.stolen_voices
        refusedVoices = counters.refused_voices
        nonFiniteSamples = counters.nonfinite_samples
        droppedMIDI = counters.dropped_midi
        unlockedBytes = counters.unlocked_bytes
        playingVoices = Int(counters.playing_voices)
    }
}
