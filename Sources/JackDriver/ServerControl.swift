internal import AudioRendering
internal import CSessionSocket
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
        let deadline = DispatchTime.now() + seconds
        let socket = ssocket_connect(path, Self.milliseconds(until: deadline))
        guard socket >= 0 else {
            switch -socket {
            case ENOENT, ECONNREFUSED, ENAMETOOLONG, EPROTOTYPE: throw .absent
            case ETIMEDOUT: throw .timedOut
            case let code: throw .refused("'\(path)' cannot be reached: \(systemErrorText(code))")
            }
        }
        defer { close(socket) }
        guard ssocket_send(socket, request, request.utf8.count, -1) >= 0 else { throw .absent }
        let reply = try receive(socket, until: deadline)
        if reply == "ok" { return "" }
        if reply.hasPrefix("ok ") { return String(reply.dropFirst(3)) }
        let reason = reply.hasPrefix("error ") ? String(reply.dropFirst(6)) : "it replied '\(reply)'"
        throw .refused(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    }

    /// Receives the reply, one packet. Throws `timedOut` at the deadline.
    private func receive(_ socket: Int32, until deadline: DispatchTime) throws(Failure) -> String {
        while true {
            let milliseconds = Self.milliseconds(until: deadline)
            guard milliseconds > 0 else { throw .timedOut }
            var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, milliseconds) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = ssocket_receive(socket, &bytes, bytes.count, false, nil)
            if count == -Int(EAGAIN) { continue }
            // The server exited before it replied.
            guard count > 0 else { throw .absent }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }
    /// Returns the milliseconds until the deadline, rounded up, which may be infinitely far away;
    /// 0 if it has passed.
    private static func milliseconds(until deadline: DispatchTime) -> Int32 {
        let now = DispatchTime.now()
        guard now < deadline else { return 0 }
        return Int32(clamping: (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1)
    }
}
