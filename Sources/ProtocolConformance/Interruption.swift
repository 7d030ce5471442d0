internal import CSessionSocket
internal import Glibc

/// Ends the waits of all trials, when the user ends the program.
package final class Interruption: Sendable {
    /// Readable from `set` on.
    let descriptor: Int32
    private let other: Int32

    package init() throws(TrialError) {
        var ends: [Int32] = [-1, -1]
        let status = ssocket_pair(&ends)
        guard status == 0 else { throw .unavailable("cannot create a pair of sockets") }
        (descriptor, other) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(other)
    }

    package func set() { shutdown(other, Int32(SHUT_RDWR)) }
}
