internal import CSessionSocket
internal import Foundation
internal import SessionPolicy

/// A client of the server's: its socket, who it is, and what is still to be told. Of the server's thread.
final class Connection {
    /// Who is at the other end, as the kernel says.
    struct Peer {
        var process: pid_t
        var program: String
        var isTrusted: Bool
    }

    /// Tells it from every other, also from those before it on the same descriptor.
    let number: UInt64
    let socket: Int32
    /// Readable when its process has ended; -1 when it cannot be watched.
    let process: Int32
    let peer: Peer
    let app: AppID
    /// Its process, for the next arbiter; nil when that has ended.
    private(set) lazy var mark = ClientMark(process: peer.process)

    // What it said.
    var hello: ClientMessage.Hello?
    /// Sessions that it has announced and not restored yet.
    var toRestore = 0
    var lastSerial: UInt64 = 0
    var allowance: Allowance
    /// Requests that came while the state was being rebuilt (SRV-3).
    var held: [ClientMessage] = []
    /// Sessions of its own, and of apps that it speaks for.
    var sessions: Set<SessionID> = []
    /// Calls and the like that end with it.
    var systemSessions: Set<SessionID> = []
    var followsLog = false
    /// The ping that was not answered yet, and since when, in seconds.
    var ping: (number: UInt64, since: Double)?
    /// Nothing more is to be sent or read.
    var isOver = false
    /// What it asked for took long: it is another's turn.
    var turnIsOver = false
    /// Of long replies, since it was last seen to have read all.
    private var longBytes = 0

    // What it is to be told.
    /// Sessions whose status it does not know.
    var staleSessions: Set<SessionID> = []
    var notices: [SessionNotice] = []
    var toldApplication: AppState?
    var toldDevices: [Device]?
    var toldHardware: HardwareWish?

    /// What the socket would not take yet.
    private var queue: [Outgoing] = []
    private var queuedBytes = 0
    private let queueLimit: Int

    private struct Outgoing {
        let bytes: [UInt8]
        /// To be closed when sent; -1: none.
        let descriptor: Int32
        /// Bytes of memory that wait with it.
        let weight: Int
    }

    init(number: UInt64, socket: Int32, process: Int32, peer: Peer, limits: ServiceSettings.Limits) {
        self.number = number
        self.socket = socket
        self.process = process
        self.peer = peer
        // A process of another pid namespace has no number here; it gets one that no process has.
        app = AppID(peer.process > 0 ? UInt64(peer.process) : 1 << 40 | number)
        allowance = Allowance(perSecond: Double(limits.messagesPerSecond))
        queueLimit = limits.queuedBytes
    }

    deinit {
        for outgoing in queue where outgoing.descriptor >= 0 { close(outgoing.descriptor) }
        close(socket)
        if process >= 0 { close(process) }
    }

    var hasQueue: Bool { !queue.isEmpty }

    /// Whether more long replies lie unread than one client may have.
    func hasTooMuchUnread() -> Bool {
        var unread: Int32 = 0
        if ioctl(socket, UInt(TIOCOUTQ), &unread) == 0, unread == 0, queue.isEmpty { longBytes = 0 }
        return longBytes > Self.longLimit
    }

    private static let longLimit = 16 << 20

    /// Sends now, or when the client has read what came before; cuts off who reads too slowly. The descriptor is closed when sent.
    func send(_ bytes: [UInt8], descriptor: Int32 = -1, memory: Int = 0) {
        guard !isOver else {
            if descriptor >= 0 { close(descriptor) }
            return
        }
        let weight = bytes.count + memory
        queue.append(Outgoing(bytes: bytes, descriptor: descriptor, weight: weight))
        queuedBytes += weight
        longBytes += memory
        sendQueue()
        if queuedBytes > queueLimit { isOver = true }
    }

    /// Sends what the socket takes.
    func sendQueue() {
        var sent = 0
        defer { queue.removeFirst(sent) }
        for outgoing in queue {
            let count = ssocket_send(socket, outgoing.bytes, outgoing.bytes.count, outgoing.descriptor)
            if count == -Int(EAGAIN) { return }
            guard count > 0 else {
                isOver = true
                return
            }
            if outgoing.descriptor >= 0 { close(outgoing.descriptor) }
            queuedBytes -= outgoing.weight
            sent += 1
        }
    }

    /// One packet; nil when there is none at present. What is no packet of this protocol is told apart.
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

    /// Notes what is to be told; of several changes of one session's state the last is enough.
    func tell(_ notice: SessionNotice) {
        // Whatever it is, the session is another now: its volume, its route.
        staleSessions.insert(notice.effect.session)
        if notice.effect.kind == .stateChanged {
            notices.removeAll { $0.effect.kind == .stateChanged && $0.effect.session == notice.effect.session }
        }
        notices.append(notice)
    }
}

/// How many messages a client may send: so many a second on average, and as many at once.
struct Allowance {
    private let perSecond: Double
    private var left: Double
    private var since: Double?

    init(perSecond: Double) {
        self.perSecond = max(1, perSecond)
        left = self.perSecond
    }

    /// Takes `cost` at `time`, in seconds, if there is anything left; false when there is not.
    mutating func take(_ cost: Double, at time: Double) -> Bool {
        left = min(perSecond, left + (time - (since ?? time)) * perSecond)
        since = time
        guard left >= 1 else { return false }
        left -= cost
        return true
    }

    /// Takes what has turned out to be due, beyond what there is too; never so much that it takes longer than a second to make good, in which
    /// not even the answer to a ping is looked into.
    mutating func charge(_ cost: Double) { left = max(left - cost, -perSecond) }
}
