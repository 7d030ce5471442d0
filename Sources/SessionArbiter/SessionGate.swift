internal import CSessionGate
internal import CSessionSocket
internal import Platform
public import SessionPolicy

/// The page of memory through which the arbiter's verdict on one session reaches the render thread.
///
/// Whoever lets a render core read the page keeps this object alive; the memory goes with it. Unchecked `Sendable`: the handle is
/// immutable, the page's words are atomic, and only the arbiter that made it writes, one thread at a time.
public final class SessionGate: @unchecked Sendable {
    /// The `sgate_page_t *`, for the render core.
    public let page: OpaquePointer
    private let release: @Sendable (OpaquePointer) -> Void

    private init(page: OpaquePointer, release: @escaping @Sendable (OpaquePointer) -> Void) {
        self.page = page
        self.release = release
    }

    /// A gate for this process that grants nothing: paused, without input, volume 1. Throws when memory is short.
    convenience init() throws(ArbiterError) {
        guard let page = sgate_page_create() else {
            throw .unavailable("a session's gate was to be made, but memory is short; free some and try again")
        }
        self.init(page: page) { sgate_page_destroy($0) }
    }

    /// A gate that another process is to read: the same, and the descriptor to be sent there and closed.
    static func makeShared() throws(ArbiterError) -> (gate: SessionGate, descriptor: Int32) {
        var page: OpaquePointer?
        let descriptor = ssocket_gate_create(&page)
        guard descriptor >= 0, let page else {
            throw .unavailable(
                "a session's gate was to be made, but \(systemErrorText(-descriptor)); end some sessions and try again")
        }
        return (SessionGate(page: page) { ssocket_gate_unmap($0) }, descriptor)
    }

    /// A gate that another process writes, by the descriptor that came from there; that stays the caller's to close.
    convenience init(mapping descriptor: Int32) throws(ArbiterError) {
        var page: OpaquePointer?
        let status = ssocket_gate_map(descriptor, &page)
        guard status == 0, let page else {
            throw .unavailable("the arbiter sent no gate that can be read: \(systemErrorText(-status))")
        }
        self.init(page: page) { ssocket_gate_unmap($0) }
    }

    deinit { release(page) }

    /// The serial of the verdict that stands; events of the render core echo it once applied.
    public var serial: UInt32 { sgate_page_verdict(page).serial }

    /// The verdict that stands, as the render thread will read it. [any thread]
    public var verdict: Verdict { Self.verdict(sgate_page_verdict(page)) }

    /// The system volume that stands, 0…1. [any thread]
    public var volume: Float { sgate_page_volume(page).gain }

    /// Both words, for the next arbiter (SRV-3). [any thread]
    var words: GateWords {
        GateWords(
            verdict: sgate_verdict_pack(sgate_page_verdict(page)), volume: sgate_volume_pack(sgate_page_volume(page)))
    }

    /// Publishes words as they stood in another page, so that who reads this one next hears no difference. [the arbiter]
    func write(_ words: GateWords) {
        sgate_page_set_verdict(page, sgate_verdict_unpack(words.verdict))
        sgate_page_set_volume(page, sgate_volume_unpack(words.volume))
    }

    /// Publishes a verdict under the next serial. [the arbiter]
    func write(_ verdict: Verdict, ramp: Double) {
        sgate_page_set_verdict(
            page,
            sgate_verdict_t(
                attenuation: Self.word(verdict.attenuation * Double(SGATE_ATTENUATION_PER_DECIBEL)),
                ramp_ms: Self.word(ramp * 1_000), paused: verdict.isPaused, muted: verdict.isMuted,
                input_granted: verdict.isInputGranted, serial: (serial &+ 1) & UInt32(SGATE_SERIAL_MASK)))
    }

    /// Publishes the system volume. [the arbiter]
    func write(volume: Float, ramp: Double) {
        sgate_page_set_volume(page, sgate_volume_t(gain: volume, ramp_ms: Self.word(ramp * 1_000)))
    }

    /// What a page says of a verdict, in whole 1/256 dB.
    private static func verdict(_ word: sgate_verdict_t) -> Verdict {
        Verdict(
            attenuation: Double(word.attenuation) / Double(SGATE_ATTENUATION_PER_DECIBEL), isPaused: word.paused,
            isMuted: word.muted, isInputGranted: word.input_granted)
    }

    /// Rounds into a 16-bit field; beyond its range the nearest end, not a number as 0.
    private static func word(_ value: Double) -> UInt16 {
        value.isNaN ? 0 : UInt16(min(max(value.rounded(), 0), Double(UInt16.max)))
    }
}
