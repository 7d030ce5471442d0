import CSessionGate

/// The gate of a session without restrictions (a control page, no noise gate).
///
/// Unchecked `Sendable`: the page is not written after its creation.
final class OpenGate: @unchecked Sendable {
    let page: OpaquePointer

    /// Returns nil if memory cannot be allocated.
    init?() {
        guard let page = sgate_page_create() else { return nil }
        self.page = page
        sgate_page_set_grant(
            page,
            sgate_grant_t(
                attenuation: 0, ramp_ms: 0, paused: false, muted: false, input_granted: false, serial: 1))
    }

    deinit { sgate_page_destroy(page) }
}
