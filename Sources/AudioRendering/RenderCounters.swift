internal import CRenderCore

/// What the core counted since it was made.
public struct RenderCounters: Equatable, Sendable {
    public var cycles: UInt64
    /// Timed commands that took effect after their frame.
    public var lateCommands: UInt64
    /// Events lost because nobody read them in time.
    public var droppedEvents: UInt64
    /// Frames that streams could not deliver in time.
    public var underrunFrames: UInt64
    /// Voices that gave way to others, and voices that found no place.
    public var stolenVoices: UInt64
    public var refusedVoices: UInt64
    /// Output samples that were NaN or infinite and became silence.
    public var nonFiniteSamples: UInt64
    /// Memory of the cycle that the system refused to lock (see `ulimit -l`).
    public var unlockedBytes: UInt64
    public var playingVoices: Int

    init(_ counters: rcore_counters_t) {
        cycles = counters.cycles
        lateCommands = counters.late_commands
        droppedEvents = counters.dropped_events
        underrunFrames = counters.underrun_frames
        stolenVoices = counters.stolen_voices
        refusedVoices = counters.refused_voices
        nonFiniteSamples = counters.nonfinite_samples
        unlockedBytes = counters.unlocked_bytes
        playingVoices = Int(counters.playing_voices)
    }
}
