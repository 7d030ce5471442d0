internal import CSessionGate
public import SessionPolicy

/// The page of memory through which the arbiter's verdict on one session reaches the render thread.
///
/// Whoever lets a render core read the page keeps this object alive; the memory goes with it. Unchecked `Sendable`: the handle is
/// immutable, the page's words are atomic, and only the arbiter that made it writes, under its lock.
public final class SessionGate: @unchecked Sendable {
    /// The `sgate_page_t *`, for the render core.
    public let page: OpaquePointer

    /// A gate that grants nothing: paused, without input, volume 1. Throws when memory is short.
    init() throws(ArbiterError) {
        guard let page = sgate_page_create() else {
            throw .unavailable("a session's gate was to be made, but memory is short; free some and try again")
        }
        self.page = page
    }

    deinit { sgate_page_destroy(page) }

    /// The serial of the verdict that stands; events of the render core echo it once applied.
    public var serial: UInt32 { sgate_page_verdict(page).serial }

    /// The verdict that stands, as the render thread will read it. [any thread]
    public var verdict: Verdict {
        let word = sgate_page_verdict(page)
        return Verdict(
            attenuation: Double(word.attenuation) / Double(SGATE_ATTENUATION_PER_DECIBEL), isPaused: word.paused,
            isMuted: word.muted, isInputGranted: word.input_granted)
    }

    /// The system volume that stands, 0…1. [any thread]
    public var volume: Float { sgate_page_volume(page).gain }

    /// Publishes a verdict under the next serial. [the arbiter, under its lock]
    func write(_ verdict: Verdict, ramp: Double) {
        sgate_page_set_verdict(
            page,
            sgate_verdict_t(
                attenuation: Self.word(verdict.attenuation * Double(SGATE_ATTENUATION_PER_DECIBEL)),
                ramp_ms: Self.word(ramp * 1_000), paused: verdict.isPaused, muted: verdict.isMuted,
                input_granted: verdict.isInputGranted, serial: (serial &+ 1) & UInt32(SGATE_SERIAL_MASK)))
    }

    /// Publishes the system volume. [the arbiter, under its lock]
    func write(volume: Float, ramp: Double) {
        sgate_page_set_volume(page, sgate_volume_t(gain: volume, ramp_ms: Self.word(ramp * 1_000)))
    }

    /// Rounds into a 16-bit field; beyond its range the nearest end, not a number as 0.
    private static func word(_ value: Double) -> UInt16 {
        value.isNaN ? 0 : UInt16(min(max(value.rounded(), 0), Double(UInt16.max)))
    }
}
