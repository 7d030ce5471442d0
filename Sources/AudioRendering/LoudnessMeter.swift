internal import CRenderCore

/// Measures loudness on what comes through the taps of an `AudioMeter`: drained by the engine's background thread, and by whoever reads.
///
/// Unchecked `Sendable`: all of it is reached only under the lock. The render thread is the taps' producer; who holds the lock is their consumer.
final class LoudnessMeter: @unchecked Sendable {
    private let lock = Locked(())
    /// Oldest first: those in front may still have frames that belong before the next one's.
    private var taps: [CoreMeter] = []
    private var measurement: LoudnessMeasurement?
    private var scratch: [Float] = []
    /// What takes long to reckon, and for how much of the programme it was.
    private var gated = (blocks: 0, integrated: -Double.infinity, range: 0.0)
    /// Frames that were not measured, without those that the taps count.
    private var lost = 0
    private var droppedAtReset = 0

    /// Longest programme, in seconds: the gates need memory for each tenth of them.
    private static let history = 4 * 3600
    private static let blockFrames = 4096

    /// That one measures from now on.
    func follow(_ meter: CoreMeter) {
        lock.withLock { _ in
            if taps.last !== meter { taps.append(meter) }
        }
    }

    func drain() { lock.withLock { _ in takeAll() } }

    func read() -> Loudness {
        lock.withLock { _ in
            takeAll()
            var loudness = measured()
            loudness.droppedFrames = dropped - droppedAtReset
            return loudness
        }
    }

    func reset() {
        lock.withLock { _ in
            takeAll()
            forget()
            droppedAtReset = dropped
        }
    }

    private func forget() {
        measurement = nil
        gated = (0, -.infinity, 0)
    }

    private func measured() -> Loudness {
        guard let blocks = measurement?.gatedBlocks else { return .silence }
        // Anew with each block for ten minutes; then, as all blocks are gone through each time, when a 6,000th of them is new.
        if blocks - gated.blocks > gated.blocks / 6000 {
            gated = (blocks, measurement?.integrated ?? -.infinity, measurement?.range ?? 0)
        }
        return measurement?.loudness(integrated: gated.integrated, range: gated.range) ?? .silence
    }

    private var dropped: Int {
        taps.reduce(lost) { $0 + Int(clamping: rcore_meter_dropped_frames($1.handle)) }
    }

    private func takeAll() {
        while let tap = taps.first {
            // Asked before the tap is read: one thread writes them, and what the next one has came after all that this one will ever have.
            let isOver = taps.dropFirst().contains { rcore_fifo_readable(rcore_meter_tap($0.handle)) > 0 }
            take(from: tap)
            guard isOver else { return }
            lost += Int(clamping: rcore_meter_dropped_frames(tap.handle))
            taps.removeFirst()
        }
    }

    private func take(from meter: CoreMeter) {
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

    // Whether there was memory for it.
    private func measure(_ frames: Int, of meter: CoreMeter) -> Bool {
        do throws(AudioEngineError) {
            let (rate, channels) = (meter.sampleRate, meter.channels)
            if measurement == nil {
                measurement = try LoudnessMeasurement(sampleRate: rate, channels: channels, history: Self.history)
            }
            try measurement?.change(sampleRate: rate, channels: channels)
        } catch {
            forget()
            return false
        }
        return scratch.withUnsafeBufferPointer { samples in
            guard let first = samples.baseAddress else { return false }
            return measurement?.add(first, frames: frames) ?? false
        }
    }
}
