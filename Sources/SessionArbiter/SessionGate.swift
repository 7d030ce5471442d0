internal import CSessionGate
internal import CSessionSocket
internal import Platform
public import SessionPolicy

/// The page of memory through which the arbiter controls one session: the render thread reads its
/// grant from it. It is not a noise gate.
///
/// A caller that lets a render core read the page keeps this object alive; the memory is released
/// with it. Unchecked `Sendable`: the handle is immutable, the page's words are atomic, and only
/// the arbiter that created it writes, one thread at a time.
public final class SessionGate: @unchecked Sendable {
    /// The `sgate_page_t *`, for the render core.
    public let page: OpaquePointer
    /// The page of the arbiter's keys, for the render core; nil if the arbiter has none.
    public let keys: SessionKeys?
    private let release: @Sendable (OpaquePointer) -> Void

    private init(
        page: OpaquePointer, keys: SessionKeys? = nil, release: @escaping @Sendable (OpaquePointer) -> Void
    ) {
        self.page = page
        self.keys = keys
        self.release = release
    }

    /// Creates a gate for this process that grants nothing: paused, without input, volume 1. Throws
    /// if memory cannot be allocated.
    convenience init(keys: SessionKeys? = nil) throws(ArbiterError) {
        guard let page = sgate_page_create() else {
            throw .unavailable("not enough memory for a session's gate; free memory and try again")
        }
        self.init(page: page, keys: keys) { sgate_page_destroy($0) }
    }

    /// Creates such a gate in shared memory, for another process to read. The caller sends the
    /// descriptor there and closes it.
    package static func makeShared() throws(ArbiterError) -> (gate: SessionGate, descriptor: Int32) {
        var page: OpaquePointer?
        let descriptor = ssocket_gate_create(&page)
        guard descriptor >= 0, let page else {
            throw .unavailable(
                "cannot create a session's gate (\(systemErrorText(-descriptor))); end some sessions and try again")
        }
        return (SessionGate(page: page) { ssocket_gate_unmap($0) }, descriptor)
    }

    /// Maps a gate that another process writes, from the descriptor that it sent. The caller closes
    /// the descriptor.
    convenience init(mapping descriptor: Int32, keys: SessionKeys? = nil) throws(ArbiterError) {
        var page: OpaquePointer?
        let status = ssocket_gate_map(descriptor, &page)
        guard status == 0, let page else {
            throw .unavailable("the gate that the arbiter sent cannot be read: \(systemErrorText(-status))")
        }
        self.init(page: page, keys: keys) { ssocket_gate_unmap($0) }
    }

    deinit { release(page) }

    /// The serial of the current grant; events of the render core echo it once it is applied.
    public var serial: UInt32 { sgate_page_grant(page).serial }

    /// The current grant, as the render thread will read it. [any thread]
    public var grant: SessionGrant { Self.grant(sgate_page_grant(page)) }

    /// The current system volume, 0…1. [any thread]
    public var volume: Float { sgate_page_volume(page).gain }

    /// The two 64-bit words of the page, for the next arbiter (SRV-3). [any thread]
    package var words: GateWords {
        GateWords(
            grant: sgate_grant_pack(sgate_page_grant(page)), volume: sgate_volume_pack(sgate_page_volume(page)))
    }

    /// Publishes the words of another page, so that a reader that switches to this page notices no
    /// difference. [the arbiter]
    package func write(_ words: GateWords) {
        sgate_page_set_grant(page, sgate_grant_unpack(words.grant))
        sgate_page_set_volume(page, sgate_volume_unpack(words.volume))
    }

    /// Creates a gate for this process, for `suspend(as:)`.
    package static func makeSuspended() throws(ArbiterError) -> SessionGate { try SessionGate() }

    /// Publishes the values of another gate, except that the session is paused: a reader that
    /// switches to this page suspends its sources at once, without a fade, and when it switches
    /// back only the pause ends. [one thread at a time]
    package func suspend(as other: SessionGate) {
        var grant = sgate_page_grant(other.page)
        (grant.paused, grant.input_granted, grant.ramp_ms) = (true, false, 0)
        var volume = sgate_page_volume(other.page)
        volume.ramp_ms = 0
        sgate_page_set_grant(page, grant)
        sgate_page_set_volume(page, volume)
    }

    /// Publishes a grant under the next serial, with a ramp in seconds. [the arbiter]
    func write(_ grant: SessionGrant, ramp: Double) {
        sgate_page_set_grant(
            page,
            sgate_grant_t(
                attenuation: Self.word(grant.attenuation * Double(SGATE_ATTENUATION_PER_DECIBEL)),
                ramp_ms: Self.word(ramp * 1_000), paused: grant.isPaused, muted: grant.isMuted,
                input_granted: grant.isInputGranted, serial: (serial &+ 1) & UInt32(SGATE_SERIAL_MASK)))
    }

    /// Publishes the keyed duck: the keys that lower the session while they are audible. [the
    /// arbiter]
    func write(keys: UInt16, _ settings: PolicySettings) {
        sgate_page_set_keyed_duck(
            page,
            sgate_keyed_duck_t(
                keys: keys, attenuation: Self.word(settings.duckAttenuation * Double(SGATE_ATTENUATION_PER_DECIBEL)),
                attack_ms: Self.word(settings.duckAttack * 1_000),
                release_ms: Self.word(settings.duckRelease * 1_000)))
    }

    /// Publishes that the session is the key of this number, whose samples the render core looks
    /// at; nil: it is none. [the arbiter]
    func write(detectingKey key: Int?, _ settings: PolicySettings) {
        sgate_page_set_detection(
            page,
            sgate_detection_t(
                enabled: key != nil, key: UInt8(clamping: key ?? 0),
                threshold: UInt8(clamping: Self.word(settings.audibleThreshold)),
                hold_ms: Self.word(settings.audibleHold * 1_000)))
    }

    /// Publishes the system volume, with a ramp in seconds. [the arbiter]
    func write(volume: Float, ramp: Double) {
        sgate_page_set_volume(page, sgate_volume_t(gain: volume, ramp_ms: Self.word(ramp * 1_000)))
    }

    /// Returns the grant that a page contains, with an attenuation in whole 1/256 dB.
    private static func grant(_ word: sgate_grant_t) -> SessionGrant {
        SessionGrant(
            attenuation: Double(word.attenuation) / Double(SGATE_ATTENUATION_PER_DECIBEL), isPaused: word.paused,
            isMuted: word.muted, isInputGranted: word.input_granted)
    }

    /// Rounds to a 16-bit field. Values out of range become the nearest limit, and NaN becomes 0.
    private static func word(_ value: Double) -> UInt16 {
        value.isNaN ? 0 : UInt16(min(max(value.rounded(), 0), Double(UInt16.max)))
    }
}

/// The two 64-bit words of a gate's page, as they are in memory.
public struct GateWords: Hashable, Sendable, Codable {
    public var grant: UInt64
    public var volume: UInt64

    private enum CodingKeys: String, CodingKey {
        case grant = "verdict"
        case volume
    }

    public init(grant: UInt64, volume: UInt64) {
        self.grant = grant
        self.volume = volume
    }
}
