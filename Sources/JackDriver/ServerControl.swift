internal import AudioRendering
internal import Foundation
internal import Platform

/// The managed server's control socket (`<name>.control` in the runtime folder). A request and its
/// reply are one packet each.
struct ServerControl {
    let path: String

    /// Why a request failed.
    enum Failure: Error {
        /// No process listens on the socket, or it exited before it replied.
        case absent
        case timedOut
        /// The server refused the request, with this reason.
        case refused(String)
    }

    /// The maximum length of a socket's path, in bytes.
    static let pathLimit = 107

    /// Sends a request and returns the server's reply without its "ok". Waits at most `seconds`.
    func ask(_ request: String, seconds: Double) throws(Failure) -> String {
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .refused("no socket could be created: \(systemErrorText(errno))") }
        defer { close(descriptor) }
        guard connect(descriptor) else { throw .absent }
        guard send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
            throw .absent
        }
        let reply = try receive(descriptor, until: .now() + seconds)
        if reply == "ok" { return "" }
        if reply.hasPrefix("ok ") { return String(reply.dropFirst(3)) }
        let reason = reply.hasPrefix("error ") ? String(reply.dropFirst(6)) : "it replied '\(reply)'"
        throw .refused(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    }

    /// Connects to the socket. Returns false if no server listens there.
    private func connect(_ descriptor: Int32) -> Bool {
        guard path.utf8.count <= Self.pathLimit else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) == 0 }
        }
    }

    /// Receives the reply, one packet. Throws `timedOut` at the deadline.
    private func receive(_ descriptor: Int32, until deadline: DispatchTime) throws(Failure) -> String {
        while true {
            let now = DispatchTime.now()
            guard now < deadline else { throw .timedOut }
            let milliseconds = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, Int32(clamping: milliseconds)) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // The server exited before it replied.
            guard count > 0 else { throw .absent }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }
}
