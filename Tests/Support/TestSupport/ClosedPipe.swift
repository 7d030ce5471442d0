import Foundation

/// A stream whose reader is gone.
public enum ClosedPipe {
    /// Returns a descriptor that nothing can be written to: each attempt raises SIGPIPE. The caller
    /// closes it.
    public static func makeWritingEnd() throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestFailure("Cannot create a socket pair.")
        }
        close(ends[0])
        return ends[1]
    }
}
