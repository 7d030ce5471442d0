internal import CRenderCore

extension CommandQueue {
    /// Posts commands at a beat of the transport: within `body`, a call without a frame (`at`)
    /// posts for that beat. The commands take effect on the frame nearest to the beat while the
    /// transport rolls: at once, and counted as late, if it has passed the beat. Wait-free.
    ///
    /// If the pass ends before the beat, because the transport stops or its position jumps, the
    /// commands are discarded. Those that end a sound take effect at once instead: `stop`,
    /// `release`, and the note-off of an instrument or an output. Ramps begin at the beat and have
    /// a length in frames. `automate` has times of its own: `AutomationPoint` has frames, within
    /// `body` too, and `BeatAutomationPoint` has beats.
    ///
    /// Beats are 0…16,777,215; others are replaced by the nearest one. Calls do not nest: the
    /// innermost beat counts.
    public func at(
        _ beat: Double, in pass: TransportPosition.Pass, _ body: () throws -> Void
    ) rethrows {
        let outer = defaultTime
        defaultTime = rcore_beat_time(pass.number, beat)
        defer { defaultTime = outer }
        try body()
    }
}
