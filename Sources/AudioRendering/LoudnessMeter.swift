internal import CRenderCore
internal import Platform

/// Measures the loudness of the signal of an `AudioMeter`. The render thread writes the signal into
/// a tap, the FIFO of a core meter; the engine's background thread and every reader drain the tap.
///
/// Unchecked `Sendable`: all state is accessed only under the lock. The render thread is the taps'
/// producer; the thread that holds the lock is their consumer.
final class LoudnessMeter: @unchecked Sendable {
    private let lock = Mutex(())
    /// The taps, oldest first: an earlier tap may still hold frames that precede those of the next
    /// one.
    private var taps: [CoreMeter] = []
    private var measurement: LoudnessMeasurement?
    private var scratch: [Float] = []
    /// Results that are expensive to compute, and the number of gating steps that they cover.
    private var gated = (blocks: 0, integrated: -Double.infinity, range: 0.0)
    /// Frames that were not measured, other than those that the current taps count.
    private var lost = 0
    private var droppedAtReset = 0

    /// The longest programme, in seconds: the gates need memory for every tenth of a second.
    private static let history = 4 * 3600
    private static let blockFrames = 4096

    /// Adds the tap of `meter`, the core meter that measures from now on.
    func addTap(of meter: CoreMeter) {
        lock.withLock { _ in
            if taps.last !== meter { taps.append(meter) }
        }
    }

    func drain() { lock.withLock { _ in drainTaps() } }

    func read() -> Loudness {
        lock.withLock { _ in
            drainTaps()
            var loudness = currentLoudness()
            loudness.droppedFrames = dropped - droppedAtReset
            return loudness
        }
    }

    func reset() {
        lock.withLock { _ in
            drainTaps()
            discardMeasurement()
            droppedAtReset = dropped
        }
    }

    private func discardMeasurement() {
        measurement = nil
        gated = (0, -.infinity, 0)
    }

    private func currentLoudness() -> Loudness {
        guard let blocks = measurement?.gatingSteps else { return .silence }
        // For the first ten minutes, computed again for each new block. A computation visits all
        // blocks, so later it is repeated only when 1/6,000 of the blocks is new.
        if blocks - gated.blocks > gated.blocks / 6000 {
            gated = (blocks, measurement?.integrated ?? -.infinity, measurement?.range ?? 0)
        }
        return measurement?.loudness(integrated: gated.integrated, range: gated.range) ?? .silence
    }

    private var dropped: Int {
        taps.reduce(lost) { $0 + Int(clamping: rcore_meter_dropped_frames($1.handle)) }
    }

    /// Measures the frames in the taps, oldest first, and removes taps that receive no more.
    private func drainTaps() {
        while let tap = taps.first {
            // Checked before this tap is drained: one thread writes all taps, so frames in a later
            // tap mean that this tap receives no further frames.
            let isFinished = taps.dropFirst().contains { rcore_fifo_readable(rcore_meter_tap($0.handle)) > 0 }
            drainTap(of: tap)
            guard isFinished else { return }
            lost += Int(clamping: rcore_meter_dropped_frames(tap.handle))
            taps.removeFirst()
        }
    }

    private func drainTap(of meter: CoreMeter) {
        guard let tap = rcore_meter_tap(meter.handle) else { return }
        if scratch.count < Self.blockFrames * meter.channels {
            scratch = [Float](repeating: 0, count: Self.blockFrames * meter.channels)
        }
        while true {
            let frames = min(Int(rcore_fifo_readable(tap)), Self.blockFrames)
            guard frames > 0, rcore_fifo_read_interleaved(tap, &scratch, UInt32(frames)) else { return }
            if !measure(frames, of: meter) { lost += frames }
        }
    }

    // Measures the frames in `scratch`. Returns false if memory could not be allocated.
    private func measure(_ frames: Int, of meter: CoreMeter) -> Bool {
        do throws(AudioEngineError) {
            let (rate, channels) = (meter.sampleRate, meter.channels)
            if measurement == nil {
                measurement = try LoudnessMeasurement(sampleRate: rate, channels: channels, history: Self.history)
            }
            try measurement?.change(sampleRate: rate, channels: channels)
        } catch {
            discardMeasurement()
            return false
        }
        return scratch.withUnsafeBufferPointer { samples in
            guard let first = samples.baseAddress else { return false }
            return measurement?.add(first, frames: frames) ?? false
        }
    }
}
