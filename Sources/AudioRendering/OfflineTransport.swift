internal import CRenderCore

/// The transport that an offline driver has in place of a server's, with the engine as its only
/// client. As with a server, changes apply to whole periods.
struct OfflineTransport: Sendable {
    var role = TransportRole.own
    private var frame: UInt32 = 0
    private var isStarted = false
    private var isRolling = false
    /// Where the next period is to be.
    private var target: UInt32?

    mutating func start() { isStarted = true }

    mutating func stop() { isStarted = false }

    mutating func locate(to frame: UInt32) { target = frame }

    /// Reports the transport to the core, before a period.
    mutating func begin(_ core: OpaquePointer) {
        guard role != .own else { return }
        var report = rcore_server_transport_t()
        if let target {
            isRolling = false  // until the core is ready there
            frame = target
        }
        isRolling = isStarted && (isRolling || rcore_is_prepared(core, frame))
        if role == .leader { rcore_lead_transport(core, frame, target != nil, &report) }
        target = nil
        report.frame = frame
        report.is_rolling = isRolling
        report.is_starting = isStarted && !isRolling
        rcore_follow_transport(core, &report)
    }

    /// Advances the transport after a period.
    mutating func end(frames: Int) {
        if isRolling { frame &+= UInt32(frames) }
    }
}
