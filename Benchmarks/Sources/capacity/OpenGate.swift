import CSessionGate

/// The gate of a session that nobody holds back.
///
/// Unchecked `Sendable`: nobody writes the page once it is made.
final class OpenGate: @unchecked Sendable {
    let page: OpaquePointer

    /// Nil when memory is short.
    init?() {
        guard let page = sgate_page_create() else { return nil }
        self.page = page
        sgate_page_set_verdict(
            page,
            sgate_verdict_t(
                attenuation: 0, ramp_ms: 0, paused: false, muted: false, input_granted: false, serial: 1))
    }

    deinit { sgate_page_destroy(page) }
}
