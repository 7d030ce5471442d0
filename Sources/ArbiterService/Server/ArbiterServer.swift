internal import CSessionSocket
internal import Foundation
internal import Platform
package import SessionArbiter
internal import SessionPolicy

/// The arbiter of a user's apps, behind a Unix socket.
///
/// One thread does everything: it receives requests, decides, writes gates and notifies clients. No
/// client can make it wait. Unchecked `Sendable`: everything except `stop` belongs to the thread in
/// `run`.
public final class ArbiterServer: @unchecked Sendable {
    let settings: ServiceSettings
    /// Distinguishes this arbiter from those before and after it.
    let number = UInt64(Date().timeIntervalSince1970 * 1_000) << 10 | UInt64.random(in: 0..<1_024)
    let startTime = ArbiterServer.now
    /// The folder of the service's own program; the command-line tools next to it are trusted.
    let folder: String
    let permissions: PermissionStore?
    let stateFile: StateFile?
    var core: ArbiterCore
    /// The keys page, to be sent to clients; nil if the system lacked resources for it.
    private let keysDescriptor: OwnedDescriptor?
    var connections: [UInt64: Connection] = [:]
    /// The connection that owns an app session, or a system session that is not kept.
    var owners: [SessionID: UInt64] = [:]
    /// What the owners say about their sessions.
    var descriptions: [SessionID: SessionDescription] = [:]
    /// The clients to which something has to be sent.
    var clientsToUpdate = FairQueue()
    var lastShared = Common()
    var rebuilding: Rebuilding?
    /// The content of the state file.
    var persisted: PersistentState
    var listener: Int32
    let socketWatch: SocketWatch?
    private let wakeDescriptor: Int32
    var loop: EventLoop
    private var lastConnection: UInt64 = 0
    /// When clients are pinged next, in seconds, and how often they were.
    var nextPing = ArbiterServer.now
    var pings: UInt64 = 0
    /// Whether a client may have to be pinged then, or owes an answer.
    var mayHaveToPing = false
    /// When the last client left, in seconds; nil while there is one.
    var idleSince: Double? = ArbiterServer.now
    private var buffer = [UInt8](repeating: 0, count: ArbiterProtocol.packetLimit)
    private let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    /// Writes a line to the log.
    let report: @Sendable (String) -> Void

    /// When the server listens again, in seconds, after the system had no resources for a client;
    /// nil while it listens.
    var listenAgainAt: Double?
    private var hasReportedPause = false

    /// The program that serves the desktop's media control; nil if there is none.
    var mediaControl: MediaControl?
    /// Whether it is needed, and whether a decision may have changed that.
    var mediaControlIsNeeded = false
    var mediaControlMayHaveChanged = false

    /// When the server looks whether its socket and its lock still exist, in seconds; nil while
    /// nothing suggests that they do not.
    var checkSocketAt: Double?
    var hasReportedSocketLoss = false

    /// How long the server stops listening then, in seconds.
    private static let listenPause = 0.25
    /// The maximum number of packets of one client that are handled before those of another.
    static let packetsPerTurn = 16
    private static let listenerToken: UInt64 = 0
    private static let wakeToken: UInt64 = 1
    private static let folderToken = UInt64.max

    /// Prepares to serve at a socket that already listens, and takes ownership of it. `socketWatch`
    /// watches the files of the socket, unless another program has made them. Continues from the
    /// state that a previous arbiter left in `statePath`.
    package init(
        listener: Int32, socketWatch: SocketWatch? = nil, settings: ServiceSettings = ServiceSettings(),
        folder: String = "", statePath: String? = nil,
        permissions: PermissionStore? = nil, mediaControl: MediaControl.Program? = nil,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ArbiterError) {
        self.settings = settings
        self.folder = folder
        self.listener = listener
        self.socketWatch = socketWatch
        self.permissions = permissions
        self.report = report
        self.mediaControl = mediaControl.map { MediaControl($0) }
        stateFile = statePath.map { StateFile(path: $0) }
        let keys = try? SessionKeys.makeShared()
        keysDescriptor = keys.map { OwnedDescriptor($0.descriptor) }
        core = ArbiterCore(settings: settings.arbiter, keys: keys?.keys)
        persisted = PersistentState(arbiter: number)
        loop = try EventLoop()
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeDescriptor >= 0, loop.watch(wakeDescriptor, token: Self.wakeToken),
            loop.watch(listener, token: Self.listenerToken)
        else { throw .unavailable("the service cannot watch its socket: \(systemErrorText(errno))") }
        if let socketWatch, !loop.watch(socketWatch.descriptor, token: Self.folderToken) || !socketWatch.isWatching {
            checkSocketAt = Self.now + Self.socketPause
        }
        begin()
    }

    deinit {
        close(wakeDescriptor)
        close(listener)
    }

    /// A descriptor of the keys page, for the caller to close or send; nil if there is none.
    var duplicateOfKeys: Int32? {
        guard let keysDescriptor else { return nil }
        let copy = fcntl(keysDescriptor.number, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? copy : nil
    }

    /// Makes `run` return. [any thread, and a signal handler]
    public func stop() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Why `run` returned: because of `stop`, because no client needed the service, or because
    /// another service has taken its place.
    public enum End: Sendable { case stopped, idle, replaced }

    /// Serves until `stop` is called, another service has taken the place of this one, or no client
    /// has needed the service for `settings.idleExit` seconds. In the latter case, calls `mayExit`
    /// first: it takes the lock that keeps other processes from starting a service, and returns
    /// false if the service must not exit now; the service then continues for `settings.idleExit`
    /// seconds. If a client has connected in the meantime, calls `continues` and keeps running.
    public func run(mayExit: () -> Bool = { true }, continues: () -> Void = {}) -> End {
        while true {
            for readiness in loop.wait(milliseconds: timeout) {
                switch readiness.token {
                case Self.wakeToken: return finish(.stopped)
                case Self.listenerToken: accept()
                case Self.folderToken: noteFolderChange()
                case Self.mediaControlToken: mediaControlEnded()
                default: serve(readiness)
                }
            }
            let now = Self.now
            concludeRebuilding(at: now)
            releaseIdleSessions()
            concludeLateRestorations(at: now)
            pingClients(at: now)
            sendPending()
            removeEndedConnections()
            updateMediaControl(at: now)
            if let listenAgainAt, now >= listenAgainAt { listen() }
            if let checkSocketAt, now >= checkSocketAt, !restoreSocket(at: now) { return .replaced }
            if isIdle(at: now) {
                guard mayExit() else {
                    idleSince = now
                    continue
                }
                accept()
                if connections.isEmpty { return finish(.idle) }
                continues()
            }
        }
    }

    static var now: Double { Double(ArbiterCore.now.nanoseconds) / 1e9 }

    /// Stores the state before `run` returns. If clients have sessions, the next arbiter will wait
    /// for them to reconnect.
    private func finish(_ end: End) -> End {
        mediaControl?.stop(at: Self.now)
        persisted.hasEnded = rebuilding == nil && !connections.values.contains { !$0.sessions.isEmpty }
        persist()
        return end
    }

    // MARK: Clients

    /// Accepts all clients that wait, except those of other users, those above a limit, and those
    /// whose process has ended.
    func accept() {
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
            // Even tokens stand for sockets, odd ones for processes. The first two are the server's
            // own.
            let token = lastConnection * 2
            let process = peer.pid > 0 ? ssocket_peer_process(socket, peer.pid) : -1
            guard process != -ESRCH else {
                // The process has ended, even if another one holds its socket.
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
            mayHaveToPing = true
            idleSince = nil
        }
    }

    /// Stops accepting clients for a moment. There are no resources for another one, and accepting
    /// again at once would be a busy loop. Clients that wait to be accepted continue to wait.
    private func pauseListening(_ reason: String) {
        loop.forget(listener)
        listenAgainAt = Self.now + Self.listenPause
        // Reported once, until a client has been accepted again.
        if !hasReportedPause { report("A client cannot be accepted: \(reason). It waits for free resources.") }
        hasReportedPause = true
    }

    func listen() {
        listenAgainAt = nil
        if !loop.watch(listener, token: Self.listenerToken) { listenAgainAt = Self.now + Self.listenPause }
    }

    /// Sends the reason to a client that is not accepted, and closes its socket.
    private func refuse(_ socket: Int32, _ peer: ssocket_peer_t) {
        let error =
            peer.uid != getuid()
            ? RequestError(
                .notPermitted, "User \(peer.uid) cannot use the arbiter of user \(getuid()); each user has their own.")
            : RequestError(
                .limit,
                """
                The arbiter has \(connections.count) clients, \(connectionCount(of: peer.pid)) of them in this \
                process; the limits are \(settings.limits.clients) and \(settings.limits.clientsPerApp). End some, or \
                raise limits.clients or limits.clients-per-app in the settings.
                """)
        let bytes = encode(.failure(0, error))
        _ = ssocket_send(socket, bytes, bytes.count, -1)
        close(socket)
        report(error.message)
        // Clients that hang may be in the way.
        if peer.uid == getuid() { pingIdleClients() }
    }

    private func connectionCount(of process: pid_t) -> Int { connections.values.count { $0.peer.process == process } }

    /// Returns the program of a process, empty if it cannot be read, and whether that is trusted.
    func identify(_ process: pid_t) -> Connection.Peer {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")) ?? ""
        let names = ["audiosession", "audiosession-adopt", "audiosession-desktop", "player"]
        let own = folder.isEmpty ? [] : names.map { folder + "/" + $0 }
        return Connection.Peer(
            process: process, program: program,
            isTrusted: !program.isEmpty && (own + settings.trustedPrograms).contains(program))
    }

    /// Handles the events of a client's socket, or the end of its process.
    private func serve(_ readiness: EventLoop.Readiness) {
        guard let connection = connections[readiness.token / 2] else { return }
        // The client's process has ended, even if another one holds its socket (ACT-12).
        if readiness.token % 2 == 1 { connection.hasEnded = true }
        if readiness.isWritable {
            connection.sendQueue()
            if !connection.hasQueue { watchQueue(of: connection) }
        }
        if readiness.isReadable { read(connection) }
    }

    /// Receives and handles packets of a client, until none is left or it is another client's turn.
    private func read(_ connection: Connection) {
        connection.yieldsToOthers = false
        for _ in 0..<Self.packetsPerTurn where !connection.hasEnded && !connection.yieldsToOthers {
            guard let incoming = connection.receive(into: &buffer) else { return }
            switch incoming {
            case .packet(let data): take(data, from: connection)
            case .tooLong:
                connection.rateLimit.charge(Self.cost(ofBytes: ArbiterProtocol.packetLimit))
                send(
                    .failure(
                        0,
                        RequestError(
                            .malformed,
                            "A packet over \(ArbiterProtocol.packetLimit) bytes was discarded; send shorter ones.")),
                    to: connection)
            case .descriptor:
                send(
                    .failure(
                        0, RequestError(.malformed, "A packet came with a descriptor; the arbiter accepts none.")),
                    to: connection)
            case .end: connection.hasEnded = true
            }
        }
    }

    /// Sends a message now, or as soon as the client reads. A reply that is longer than a packet is
    /// sent in a memory file; a client for which another message is too long is disconnected.
    func send(_ message: ArbiterMessage, to connection: Connection, descriptor: Int32 = -1) {
        var bytes = encode(message)
        var descriptor = descriptor
        var memory = 0
        if bytes.count > ArbiterProtocol.packetLimit {
            guard case .reply(let serial, _) = message, descriptor < 0 else {
                report("A message to \(connection.peer.program) is longer than a packet; disconnecting it.")
                connection.hasEnded = true
                return
            }
            memory = bytes.count
            descriptor = ssocket_memory_create(bytes, bytes.count)
            chargeLongReply(memory, to: connection)
            let error = RequestError(.unavailable, "Not enough memory for a long reply; try again.")
            bytes = encode(descriptor >= 0 ? .long(serial) : .failure(serial, error))
        }
        let hadQueue = connection.hasQueue
        connection.send(bytes, descriptor: descriptor, memory: memory)
        connection.hasNewMessages = true
        mayHaveToPing = true
        if connection.hasQueue, !hadQueue { watchQueue(of: connection) }
    }

    private func watchQueue(of connection: Connection) {
        _ = loop.watch(connection.socket, token: connection.number * 2, forWriting: connection.hasQueue)
    }

    /// Returns whether a message fits into one packet.
    func fits(_ message: ArbiterMessage) -> Bool { encode(message).count <= ArbiterProtocol.packetLimit }

    private func encode(_ message: ArbiterMessage) -> [UInt8] {
        // Every message can be encoded; a failure would be a bug here.
        guard let data = try? encoder.encode(message) else {
            report("A message could not be written as JSON: \(message).")
            return Array("{}".utf8)
        }
        return Array(data)
    }

    /// Removes the connections that have ended, and their sessions.
    private func removeEndedConnections() {
        for connection in connections.values where connection.hasEnded {
            connections[connection.number] = nil
            loop.forget(connection.socket)
            if connection.process >= 0 { loop.forget(connection.process) }
            forget(connection)
        }
        if connections.isEmpty, idleSince == nil { idleSince = Self.now }
    }
}
