internal import CRenderCore

/// Frames of the input that the server did not deliver. The engine's clock does not count them.
package struct InputGap: Equatable, Sendable {
    /// The frame of `AudioEngine.currentFrame` before which they are missing.
    package var time: UInt64
    /// How many are missing.
    package var frames: Int
}

extension AudioEngine {
    /// The number of gaps so far. Any thread.
    package var inputGapCount: UInt64 { rcore_gap_count(control.core.handle) }

    /// Returns the gaps from a number on, which then is that of the next one. Those that are no
    /// longer kept are left out. Any thread.
    package func inputGaps(from number: inout UInt64) -> [InputGap] {
        let count = inputGapCount
        defer { number = max(number, count) }
        guard number < count else { return [] }
        return (number..<count).compactMap { number in
            var gap = rcore_gap_t()
            guard rcore_read_gap(control.core.handle, number, &gap) else { return nil }
            return InputGap(time: gap.time, frames: Int(clamping: gap.frames))
        }
    }

    /// The frame before which all gaps are known, at most the current one: the driver needs several
    /// cycles to measure a gap. Read it before the gaps. Any thread.
    package var inputGapLimit: UInt64 {
        let now = currentFrame
        return min(now, rcore_gap_limit(control.core.handle))
    }
}

extension OfflineDriver {
    /// Reports that frames of the input are missing before a frame (nil: the next one), as the
    /// driver of a server does after an xrun.
    package func reportInputGap(frames: Int, at time: UInt64? = nil) {
        withCore { core in
            let gap = rcore_gap_t(time: time ?? rcore_time(core.handle), frames: UInt64(frames))
            rcore_report_gap(core.handle, gap)
        }
    }

    /// Reports that frames may be missing before the next frame; `isPossible`: false to end that.
    package func reportPossibleInputGap(_ isPossible: Bool = true) {
        withCore { core in rcore_set_gap_limit(core.handle, isPossible ? rcore_time(core.handle) : .max) }
    }
}
