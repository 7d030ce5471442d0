import CSessionGate

/// A gate in plain memory (the control page of a session, no noise gate), for tests that act as the
/// arbiter. It is open unless a test says otherwise.
///
/// Unchecked `Sendable`: the page supports one writer, the test, and any number of readers.
public final class TestGate: @unchecked Sendable {
    public let page: OpaquePointer
    private var serial: UInt32 = 0

    public init(open: Bool = true, rampMilliseconds: UInt16 = 5, inputGranted: Bool = false) throws {
        guard let page = sgate_page_create() else { throw TestFailure("Cannot allocate a gate.") }
        self.page = page
        set(paused: !open, rampMilliseconds: rampMilliseconds, inputGranted: inputGranted)
    }

    deinit { sgate_page_destroy(page) }

    /// Returns another page with the same two 64-bit words, as a new arbiter hands it out. The next
    /// update of either page has the same serial number.
    public func copy() throws -> TestGate {
        let copy = try TestGate()
        copy.serial = serial
        sgate_page_set_grant(copy.page, sgate_page_grant(page))
        sgate_page_set_volume(copy.page, sgate_page_volume(page))
        return copy
    }

    public func setVolume(_ gain: Float, rampMilliseconds: UInt16) {
        sgate_page_set_volume(page, sgate_volume_t(gain: gain, ramp_ms: rampMilliseconds))
    }

    public func set(
        paused: Bool = false, muted: Bool = false, decibels: Double = 0, rampMilliseconds: UInt16 = 5,
        inputGranted: Bool = false
    ) {
        serial += 1
        sgate_page_set_grant(
            page,
            sgate_grant_t(
                attenuation: UInt16(-decibels * 256), ramp_ms: rampMilliseconds, paused: paused, muted: muted,
                input_granted: inputGranted, serial: serial))
    }
}
