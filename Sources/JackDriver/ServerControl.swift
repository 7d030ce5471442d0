internal import AudioRendering
internal import Foundation

/// The managed server's control socket (`<name>.control` in the runtime folder): one request, one answer, both a packet.
struct ServerControl {
    let path: String

    /// Why there was no answer.
    enum Failure: Error {
        /// Nobody listens.
        case absent
        case late
        /// The server's own sentence.
        case refused(String)
    }

    /// Longest path of a socket, in bytes.
    static let pathLimit = 107

    /// Sends a request and returns what the server says, without its "ok". Waits at most `seconds`.
    func ask(_ request: String, seconds: Double) throws(Failure) -> String {
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .refused("there is no socket to be had: \(systemErrorText(errno))") }
        defer { close(descriptor) }
        guard connect(descriptor) else { throw .absent }
        guard send(descriptor, request, request.utf8.count, Int32(MSG_NOSIGNAL)) == request.utf8.count else {
            throw .absent
        }
        let answer = try receive(descriptor, until: .now() + seconds)
        if answer == "ok" { return "" }
        if answer.hasPrefix("ok ") { return String(answer.dropFirst(3)) }
        let sentence = answer.hasPrefix("error ") ? String(answer.dropFirst(6)) : "it said '\(answer)'"
        throw .refused(sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)
    }

    /// Reaches the socket if it is this user's server that listens there.
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

    private func receive(_ descriptor: Int32, until deadline: DispatchTime) throws(Failure) -> String {
        while true {
            let now = DispatchTime.now()
            guard now < deadline else { throw .late }
            let milliseconds = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, Int32(clamping: milliseconds)) > 0 else { continue }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            // The server ended before it answered.
            guard count > 0 else { throw .absent }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
    }
}
