internal import CSessionSocket
internal import Foundation
internal import Platform
internal import SessionPolicy

/// The arbiter of a user's apps, behind a Unix socket.
///
/// One thread does all: it takes requests, decides, writes gates, and tells. Nothing that a client does or fails to do makes it wait.
/// Unchecked `Sendable`: all but `stop` belongs to the thread in `run`.
public final class ArbiterServer: @unchecked Sendable {
    let settings: ServiceSettings
    /// Tells this arbiter from those before and after it.
    let number = UInt64(Date().timeIntervalSince1970 * 1_000) << 10 | UInt64.random(in: 0..<1_024)
    let begun = ArbiterServer.now
    /// The folder of the service's own program: those beside it are trusted.
    let folder: String
    let permissions: PermissionStore?
    let stateFile: StateFile?
    var tower: ControlTower
    var connections: [UInt64: Connection] = [:]
    /// Whose an app session, or a system session that is not kept, is.
    var owners: [SessionID: UInt64] = [:]
    /// Clients that have something to be told.
    var stale = WaitingLine()
    var toldToAll = Common()
    var rebuilding: Rebuilding?
    /// What the state file says.
    var persisted: PersistentState
    private let listener: Int32
    private let waking: Int32
    private var loop: EventLoop
    private var lastConnection: UInt64 = 0
    private var nextPing = ArbiterServer.now
    private var pings: UInt64 = 0
    private var idleSince: Double? = ArbiterServer.now
    private var buffer = [UInt8](repeating: 0, count: ArbiterProtocol.packetLimit)
    private let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    /// Says what is worth a line in a log.
    let report: @Sendable (String) -> Void

    /// When the socket is listened at again, after the machine had no room for a client.
    private var listensAgain: Double?
    private var hasReportedPause = false

    /// Seconds.
    private static let pause = 0.25
    /// Packets of one client before it is another's turn.
    private static let turn = 16
    private static let listenerToken: UInt64 = 0
    private static let wakingToken: UInt64 = 1

    /// Serves at a socket that listens already, and takes it over. Of what an arbiter before it left in `stateFile`, it goes on with.
    package init(
        listener: Int32, settings: ServiceSettings = ServiceSettings(), folder: String = "", statePath: String? = nil,
        permissions: PermissionStore? = nil, report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ArbiterError) {
        self.settings = settings
        self.folder = folder
        self.listener = listener
        self.permissions = permissions
        self.report = report
        stateFile = statePath.map { StateFile(path: $0) }
        tower = ControlTower(settings: settings.arbiter)
        persisted = PersistentState(arbiter: number)
        loop = try EventLoop()
        waking = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard waking >= 0, loop.watch(waking, token: Self.wakingToken), loop.watch(listener, token: Self.listenerToken)
        else { throw .unavailable("the service cannot watch its socket: \(systemErrorText(errno))") }
        begin()
    }

    deinit {
        close(waking)
        close(listener)
    }

    /// Ends `run`. [any thread, and a signal handler]
    public func stop() {
        var one: UInt64 = 1
        _ = write(waking, &one, MemoryLayout<UInt64>.size)
    }

    /// Why `run` returned.
    public enum End: Sendable { case stopped, idle }

    /// Serves until it is stopped, or nobody has needed it for as long as the settings say. `mayLeave` is asked last, and may take back an
    /// idle end: whoever starts services is to be kept from connecting meanwhile.
    public func run(mayLeave: () -> Bool = { true }, stays: () -> Void = {}) -> End {
        while true {
            for readiness in loop.wait(milliseconds: timeout) {
                switch readiness.token {
                case Self.wakingToken: return leave(.stopped)
                case Self.listenerToken: accept()
                default: serve(readiness)
                }
            }
            let now = Self.now
            concludeRebuilding(at: now)
            keepLeases(at: now)
            tellNext()
            removeThoseOver()
            if let listensAgain, now >= listensAgain { listen() }
            if isIdle(at: now) {
                guard mayLeave() else {
                    idleSince = now
                    continue
                }
                accept()
                if connections.isEmpty { return leave(.idle) }
                stays()
            }
        }
    }

    static var now: Double { Double(ControlTower.now.nanoseconds) / 1e9 }

    /// Whoever has sessions finds the next arbiter waiting for it.
    private func leave(_ end: End) -> End {
        persisted.hasEnded = rebuilding == nil && !connections.values.contains { !$0.sessions.isEmpty }
        persist()
        return end
    }

    // MARK: Clients

    private func accept() {
        while true {
            let socket = ssocket_accept(listener)
            guard socket >= 0 else {
                if socket != -EAGAIN { pauseListening(systemErrorText(-socket)) }
                return
            }
            hasReportedPause = false
            var peer = ssocket_peer_t()
            guard ssocket_peer(socket, &peer) == 0, peer.uid == getuid(), connections.count < settings.limits.clients,
                peer.pid == 0 || connectionCount(of: peer.pid) < settings.limits.clientsPerApp
            else {
                refuse(socket, peer)
                continue
            }
            lastConnection += 1
            // Even tokens are sockets, odd ones processes; the first two are the server's own.
            let token = lastConnection * 2
            let process = peer.pid > 0 ? ssocket_peer_process(socket, peer.pid) : -1
            guard process != -ESRCH else {
                // It has ended, whoever else may hold its socket.
                close(socket)
                continue
            }
            let connection = Connection(
                number: lastConnection, socket: socket, process: process, peer: identify(peer.pid),
                limits: settings.limits)
            guard loop.watch(socket, token: token), process < 0 || loop.watch(process, token: token + 1) else {
                report("A client cannot be watched: \(systemErrorText(errno)).")
                continue
            }
            connections[lastConnection] = connection
            idleSince = nil
        }
    }

    /// Who waits to be taken in waits on: there is no room, and to ask again at once would be to turn in circles.
    private func pauseListening(_ reason: String) {
        loop.forget(listener)
        listensAgain = Self.now + Self.pause
        // Once, until a client has been taken in again.
        if !hasReportedPause { report("A client cannot be taken in: \(reason). It waits until there is room.") }
        hasReportedPause = true
    }

    private func listen() {
        listensAgain = nil
        if !loop.watch(listener, token: Self.listenerToken) { listensAgain = Self.now + Self.pause }
    }

    private func refuse(_ socket: Int32, _ peer: ssocket_peer_t) {
        let error =
            peer.uid != getuid()
            ? RequestError(
                .notPermitted, "User \(peer.uid) asked the arbiter of user \(getuid()); each has an own one.")
            : RequestError(
                .limit,
                """
                The arbiter has \(connections.count) clients, \(connectionCount(of: peer.pid)) of them this process's; the limits are \
                \(settings.limits.clients) and \(settings.limits.clientsPerApp). End some, or raise clients or clients-per-app in [limits] \
                of the settings.
                """)
        let bytes = encode(.failure(0, error))
        _ = ssocket_send(socket, bytes, bytes.count, -1)
        close(socket)
        report(error.message)
    }

    private func connectionCount(of process: pid_t) -> Int { connections.values.count { $0.peer.process == process } }

    private func identify(_ process: pid_t) -> Connection.Peer {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")) ?? ""
        let own = folder.isEmpty ? [] : ["audiosession", "player"].map { folder + "/" + $0 }
        return Connection.Peer(
            process: process, program: program,
            isTrusted: !program.isEmpty && (own + settings.trustedPrograms).contains(program))
    }

    private func serve(_ readiness: EventLoop.Readiness) {
        guard let connection = connections[readiness.token / 2] else { return }
        // Its process has ended, whoever else may hold its socket (ACT-12).
        if readiness.token % 2 == 1 { connection.isOver = true }
        if readiness.isWritable {
            connection.sendQueue()
            if !connection.hasQueue { watchQueue(of: connection) }
        }
        if readiness.isReadable { read(connection) }
    }

    private func read(_ connection: Connection) {
        connection.turnIsOver = false
        for _ in 0..<Self.turn where !connection.isOver && !connection.turnIsOver {
            guard let incoming = connection.receive(into: &buffer) else { return }
            switch incoming {
            case .packet(let data): take(data, from: connection)
            case .tooLong:
                connection.allowance.charge(Self.cost(ofBytes: ArbiterProtocol.packetLimit))
                send(
                    .failure(
                        0,
                        RequestError(
                            .malformed,
                            "A packet of more than \(ArbiterProtocol.packetLimit) bytes came; it was thrown away.")),
                    to: connection)
            case .descriptor:
                send(
                    .failure(
                        0, RequestError(.malformed, "A descriptor came with a packet; the arbiter takes none.")),
                    to: connection)
            case .end: connection.isOver = true
            }
        }
    }

    /// Sends, at once or as soon as the client reads.
    func send(_ message: ArbiterMessage, to connection: Connection, descriptor: Int32 = -1) {
        var bytes = encode(message)
        var descriptor = descriptor
        var memory = 0
        if bytes.count > ArbiterProtocol.packetLimit {
            guard case .reply(let serial, _) = message, descriptor < 0 else {
                report("A message to \(connection.peer.program) is longer than a packet; it is cut off.")
                connection.isOver = true
                return
            }
            memory = bytes.count
            descriptor = ssocket_memory_create(bytes, bytes.count)
            chargeLongReply(memory, to: connection)
            let error = RequestError(.unavailable, "The reply is long and memory is short; try again.")
            bytes = encode(descriptor >= 0 ? .long(serial) : .failure(serial, error))
        }
        let hadQueue = connection.hasQueue
        connection.send(bytes, descriptor: descriptor, memory: memory)
        if connection.hasQueue, !hadQueue { watchQueue(of: connection) }
    }

    private func watchQueue(of connection: Connection) {
        _ = loop.watch(connection.socket, token: connection.number * 2, forWriting: connection.hasQueue)
    }

    /// Whether a message goes into one packet.
    func fits(_ message: ArbiterMessage) -> Bool { encode(message).count <= ArbiterProtocol.packetLimit }

    private func encode(_ message: ArbiterMessage) -> [UInt8] {
        // Every message can be encoded: a failure would be a mistake here.
        guard let data = try? encoder.encode(message) else {
            report("A message could not be written as JSON: \(message).")
            return Array("{}".utf8)
        }
        return Array(data)
    }

    private func removeThoseOver() {
        for connection in connections.values where connection.isOver {
            connections[connection.number] = nil
            loop.forget(connection.socket)
            if connection.process >= 0 { loop.forget(connection.process) }
            forget(connection)
        }
        if connections.isEmpty, idleSince == nil { idleSince = Self.now }
    }

    // MARK: Time

    /// Milliseconds until something is due, whoever says nothing.
    private var timeout: Int32 {
        if hasStaleClients { return 0 }
        var due = [Double]()
        if !connections.isEmpty { due.append(nextPing) }
        if let rebuilding { due.append(rebuilding.deadline) }
        if let idleSince, mayBecomeIdle { due.append(idleSince + settings.idleExit) }
        if let listensAgain { due.append(listensAgain) }
        guard let first = due.min() else { return -1 }
        return Int32(clamping: Int(max(0, (first - Self.now) * 1_000).rounded(.up)))
    }

    private var mayBecomeIdle: Bool { settings.idleExit > 0 && rebuilding == nil && tower.state.sessions.isEmpty }

    private func isIdle(at now: Double) -> Bool {
        guard let idleSince, mayBecomeIdle else { return false }
        return now - idleSince >= settings.idleExit
    }

    /// Cuts off who did not answer for too long, and asks the others again (ACT-12).
    private func keepLeases(at now: Double) {
        guard now >= nextPing else { return }
        // Who was late is this process: the answers may lie unread.
        if now - nextPing > settings.pingInterval {
            for connection in connections.values { connection.ping?.since = now }
        }
        nextPing = now + settings.pingInterval
        pings += 1
        for connection in connections.values {
            if let ping = connection.ping {
                guard now - ping.since >= settings.leaseLimit else { continue }
                report(
                    "\(connection.peer.program) (\(connection.peer.process)) has not answered for \(now - ping.since) s."
                )
                connection.isOver = true
            } else if connection.hello != nil {
                connection.ping = (pings, now)
                send(.ping(pings), to: connection)
            } else {
                // Who connects and says nothing has no more time than who does not answer.
                connection.ping = (0, now)
            }
        }
    }
}
