package import CSessionGate
import CSessionSocket
import Glibc

/// Maps a session's gate (its control page, no noise gate) as a client sees it.
package final class GatePage {
    private let page: OpaquePointer
    /// The descriptor of the shared memory, for trials of what a client can do with it.
    package let descriptor: Int32

    /// Takes ownership of the descriptor.
    package init(_ descriptor: Int32) throws {
        var page: OpaquePointer?
        let status = ssocket_gate_map(descriptor, &page)
        guard status == 0, let page else {
            throw TrialError("Cannot map the gate: \(String(cString: strerror(-status))).")
        }
        self.page = page
        self.descriptor = descriptor
    }

    deinit {
        ssocket_gate_unmap(page)
        close(descriptor)
    }

    package var grant: sgate_grant_t { sgate_page_grant(page) }
    package var volume: sgate_volume_t { sgate_page_volume(page) }

    /// Both 64-bit words of the gate, packed.
    package var words: (grant: UInt64, volume: UInt64) {
        (sgate_grant_pack(grant), sgate_volume_pack(volume))
    }

    /// Polls the grant until the condition holds. Returns false after `seconds`.
    package func waits(seconds: Double = 20, until condition: (sgate_grant_t) -> Bool) -> Bool {
        Limit.waits(seconds: seconds) { condition(grant) }
    }
}
