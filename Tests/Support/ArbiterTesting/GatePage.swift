package import CSessionGate
import CSessionSocket
import Glibc

/// A gate as a client sees it.
package final class GatePage {
    private let page: OpaquePointer
    /// Of the memory; for trials of what a client can do with it.
    package let descriptor: Int32

    /// Takes the descriptor over.
    package init(_ descriptor: Int32) throws {
        var page: OpaquePointer?
        let status = ssocket_gate_map(descriptor, &page)
        guard status == 0, let page else { throw TrialError("No gate came: \(String(cString: strerror(-status))).") }
        self.page = page
        self.descriptor = descriptor
    }

    deinit {
        ssocket_gate_unmap(page)
        close(descriptor)
    }

    package var verdict: sgate_verdict_t { sgate_page_verdict(page) }
    package var volume: sgate_volume_t { sgate_page_volume(page) }

    /// Both words.
    package var words: (verdict: UInt64, volume: UInt64) {
        (sgate_verdict_pack(verdict), sgate_volume_pack(volume))
    }

    /// Looks at it until it is so.
    package func waits(seconds: Double = 20, until condition: (sgate_verdict_t) -> Bool) -> Bool {
        Limit.waits(seconds: seconds) { condition(verdict) }
    }
}
