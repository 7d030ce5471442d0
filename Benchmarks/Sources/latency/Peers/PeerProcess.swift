import Foundation
import Processes

/// A failure of a peer program: a result of the benchmark, which continues.
enum PeerFailure: Error, CustomStringConvertible {
    case refused(String)
    case ended(Int32)
    case crashed(Int32)
    case hung(String, seconds: Double)

    var description: String {
        switch self {
        case .refused(let why): why
        case .ended(let code): "it ended with code \(code)"
        case .crashed(let signal): "it crashed: \(String(cString: strsignal(signal)))"
        case .hung(let what, let seconds): "\(what): no answer within \(Int(seconds)) s"
        }
    }
}

/// A peer program that replies with packets of tab-separated fields over its descriptor 3. Every
/// wait for it has a timeout.
final class PeerProcess {
    private let packets: Packets
    private var process: pid_t
    /// The unsolicited messages of its library.
    private(set) var notices: [String] = []

    init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw BenchmarkError("Cannot create a socket pair.")
        }
        packets = Packets(socket: ends[0])
        defer { close(ends[1]) }
        process = try Spawn.process(program, arguments, environment: environment, output: false, inheriting: ends[1])
    }

    deinit { if process != 0 { kill() } }

    func ask(_ words: String..., seconds: Double = 5) throws(PeerFailure) -> [String] {
        try send(words)
        return try answer(to: words.first ?? "", seconds: seconds)
    }

    func send(_ words: [String]) throws(PeerFailure) {
        do {
            try packets.send(Array(words.joined(separator: "\t").utf8))
        } catch {
            throw failure
        }
    }

    /// Waits for the next reply. Returns the fields after `ok` or after the reply's name.
    func answer(to what: String, seconds: Double) throws(PeerFailure) -> [String] {
        let limit = now() + UInt64(seconds * 1e9)
        while true {
            if let words = try received() { return words }
            let time = now()
            guard time < limit else { throw .hung(what, seconds: seconds) }
            var watched = pollfd(fd: packets.socket, events: Int16(POLLIN), revents: 0)
            poll(&watched, 1, Int32((limit - time) / 1_000_000) + 1)
        }
    }

    /// Returns the next reply if there is one. Stores notices.
    func received() throws(PeerFailure) -> [String]? {
        while true {
            let packet: ArraySlice<UInt8>?
            do {
                packet = try packets.receive(waiting: false)?.bytes
            } catch {
                throw failure
            }
            guard let packet else { return nil }
            let words = String(decoding: packet, as: UTF8.self).split(
                separator: "\t", omittingEmptySubsequences: false)
            let rest = words.dropFirst().map(String.init)
            switch words.first {
            case "notice": notices += rest
            case "failed": throw .refused(rest.first ?? "")
            default: return rest
            }
        }
    }

    /// The reason why its end of the socket is closed.
    private var failure: PeerFailure {
        guard let status = reap(seconds: 1) else {
            kill()
            return .hung("ending", seconds: 1)
        }
        return status & 0x7f == 0 ? .ended(status >> 8 & 0xff) : .crashed(status & 0x7f)
    }

    func forgetNotices() {
        _ = try? received()
        notices = []
    }

    /// Ends the program. Returns the failure if it does not end properly on its own.
    func quit(seconds: Double = 2) -> PeerFailure? {
        guard process != 0 else { return nil }
        do {
            try send(["quit"])
        } catch {
            return error
        }
        if let status = reap(seconds: seconds) { return status & 0x7f == 0 ? nil : .crashed(status & 0x7f) }
        kill()
        return .hung("closing", seconds: seconds)
    }

    /// Returns the exit status; nil if it has not ended within the timeout.
    private func reap(seconds: Double) -> Int32? {
        let limit = now() + UInt64(seconds * 1e9)
        var status: Int32 = 0
        while process != 0 {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process || (ended == -1 && errno != EINTR) {
                process = 0
                break
            }
            guard now() < limit else { return nil }
            poll(nil, 0, 2)
        }
        return status
    }

    /// Kills the program, even if it hangs.
    func kill() {
        guard process != 0 else { return }
        Glibc.kill(process, SIGKILL)
        while waitpid(process, nil, 0) == -1, errno == EINTR { continue }
        process = 0
    }
}
