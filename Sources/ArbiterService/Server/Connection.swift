internal import CSessionSocket
internal import Foundation
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// A client of the server: its socket, its identity, and its pending messages. Used on the server's
/// thread only.
final class Connection {
    /// The process at the other end, as the kernel identifies it.
    struct Peer {
        var process: pid_t
        var program: String
        var isTrusted: Bool
    }

    /// Distinguishes this connection from every other, also from earlier ones on the same
    /// descriptor.
    let number: UInt64
    let socket: Int32
    /// A descriptor that becomes readable when the client's process has ended; -1 if that cannot be
    /// watched.
    let process: Int32
    let peer: Peer
    let app: AppID
    /// Identifies the process for the next arbiter; nil if the process has ended.
    private(set) lazy var mark = ProcessMark(process: peer.process)

    // State reported by the client.
    var hello: ClientMessage.Hello?
    /// How many sessions the client has announced and not restored yet.
    var unrestoredSessions = 0
    /// The sessions that the client has restored since the state was rebuilt, until they are
    /// complete.
    var lateRestoration: LateRestoration?
    var lastSerial: UInt64 = 0
    var rateLimit: TokenBucket
    /// Requests that arrived while the state was being rebuilt (SRV-3).
    var held: [ClientMessage] = []
    /// The sessions of the client's app, and of apps for which it acts.
    var sessions: Set<SessionID> = []
    /// Calls and other system sessions that end with the client.
    var systemSessions: Set<SessionID> = []
    var followsLog = false
    /// The ping that has not been answered yet, and when it was sent, in seconds.
    var ping: (number: UInt64, since: Double)?
    /// Whether the client has been sent a message since its last ping.
    var hasNewMessages = false
    /// Whether the client is gone or is to be disconnected: nothing more is sent or read.
    var hasEnded = false
    /// Whether other clients are served first, because a request of this one took long.
    var yieldsToOthers = false
    /// The bytes of long replies that were sent since the client had last read everything.
    private var longBytes = 0

    // State reported to the client.
    /// The sessions whose current status the client has not received.
    var sessionsToReport: Set<SessionID> = []
    var notices: [SessionNotice] = []
    var sentApplication: AppState?
    var sentDevices: [AudioDevice]?
    var reportedHardware: HardwareRequest?

    /// The packets that the socket has not accepted yet.
    private var queue: [Outgoing] = []
    private var queuedBytes = 0
    private let queueLimit: Int

    private struct Outgoing {
        let bytes: [UInt8]
        /// Closed after it is sent; -1 for none.
        let descriptor: Int32
        /// The number of bytes that it occupies in memory until it is sent.
        let weight: Int
    }

    init(number: UInt64, socket: Int32, process: Int32, peer: Peer, limits: ServiceSettings.Limits) {
        self.number = number
        self.socket = socket
        self.process = process
        self.peer = peer
        // A process in another PID namespace has no process id here. Its app gets an id that no
        // process has.
        app = AppID(peer.process > 0 ? UInt64(peer.process) : 1 << 40 | number)
        // A bucket of one second: a client's debt never delays its messages for longer, during
        // which not even the answer to a ping is read.
        let rate = max(1, Double(limits.messagesPerSecond))
        rateLimit = TokenBucket(perSecond: rate, capacity: rate)
        queueLimit = limits.queuedBytes
    }

    deinit {
        for outgoing in queue where outgoing.descriptor >= 0 { close(outgoing.descriptor) }
        close(socket)
        if process >= 0 { close(process) }
    }

    var hasQueue: Bool { !queue.isEmpty }

    /// Returns whether more bytes of long replies are unread than one client may have.
    func hasTooMuchUnread() -> Bool {
        var unread: Int32 = 0
        if ioctl(socket, UInt(TIOCOUTQ), &unread) == 0, unread == 0, queue.isEmpty { longBytes = 0 }
        return longBytes > Self.longLimit
    }

    private static let longLimit = 16 << 20

    /// Sends a packet now, or when the client has read the previous ones. Disconnects a client that
    /// reads too slowly. `memory` is the size in bytes of a long reply whose descriptor this sends.
    /// The descriptor is closed after it is sent.
    func send(_ bytes: [UInt8], descriptor: Int32 = -1, memory: Int = 0) {
        guard !hasEnded else {
            if descriptor >= 0 { close(descriptor) }
            return
        }
        let weight = bytes.count + memory
        queue.append(Outgoing(bytes: bytes, descriptor: descriptor, weight: weight))
        queuedBytes += weight
        longBytes += memory
        sendQueue()
        if queuedBytes > queueLimit { hasEnded = true }
    }

    /// Sends as many packets as the socket accepts.
    func sendQueue() {
        var sent = 0
        defer { queue.removeFirst(sent) }
        for outgoing in queue {
            let count = ssocket_send(socket, outgoing.bytes, outgoing.bytes.count, outgoing.descriptor)
            if count == -Int(EAGAIN) { return }
            guard count > 0 else {
                hasEnded = true
                return
            }
            if outgoing.descriptor >= 0 { close(outgoing.descriptor) }
            queuedBytes -= outgoing.weight
            sent += 1
        }
    }

    /// Receives one packet; returns nil if there is none at present. Distinguishes packets that do
    /// not conform to the protocol.
    func receive(into buffer: inout [UInt8]) -> Incoming? {
        var descriptor: Int32 = -1
        let count = ssocket_receive(socket, &buffer, buffer.count, false, &descriptor)
        if descriptor >= 0 {
            close(descriptor)
            return .descriptor
        }
        switch count {
        case 1...: return .packet(Data(buffer[..<count]))
        case -Int(EAGAIN): return nil
        case -Int(EMSGSIZE): return .tooLong
        default: return .end
        }
    }

    enum Incoming {
        case packet(Data), tooLong, descriptor, end
    }

    /// Queues a notice. Of several state changes of one session, only the last is kept.
    func send(_ notice: SessionNotice) {
        // Whatever the notice is, the session's status has changed: its volume or its route, for
        // example.
        sessionsToReport.insert(notice.effect.session)
        if notice.effect.kind == .stateChanged {
            notices.removeAll { $0.effect.kind == .stateChanged && $0.effect.session == notice.effect.session }
        }
        notices.append(notice)
    }
}
