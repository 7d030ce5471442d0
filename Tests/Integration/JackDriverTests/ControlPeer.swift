import CSessionSocket
import Foundation
import TestSupport

/// A connection to a control socket.
final class ControlPeer {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = ssocket_connect(path, 20_000)
        guard descriptor >= 0 else { throw TestFailure("No process listens at '\(path)'.") }
    }

    deinit { close(descriptor) }

    /// Returns the path at which the managed server of that name listens.
    static func path(of name: String) -> String? {
        let folders = [ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].map { $0 + "/audiosession" }]
        return (folders.compactMap { $0 } + ["/tmp/audiosession-\(getuid())"]).map { "\($0)/\(name).control" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    /// The listening process.
    var process: pid_t? {
        var credentials = [Int32](repeating: 0, count: 3)
        var size = socklen_t(12)
        return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 ? credentials[0] : nil
    }

    func send(_ request: String) throws {
        guard Glibc.send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
            throw TestFailure("Cannot send the request '\(request.prefix(40))'.")
        }
    }

    func ask(_ request: String) throws -> String {
        try send(request)
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, 20_000) > 0 else { throw TestFailure("No reply within 20 s.") }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
