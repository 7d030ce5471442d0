internal import CSessionSocket
internal import Foundation
internal import Platform
internal import SessionArbiter

/// One run of the client at an arbiter of its own, in a private folder. Everything happens on one
/// thread, and each wait has a limit.
package final class ClientTrial {
    let arbiter = ScriptedArbiter()
    /// Seconds that the client has for whatever it is expected to do.
    let limit: Double
    /// What the check has seen that is no fault.
    package private(set) var remarks: [String] = []
    let client: ClientProcess
    private(set) var connection: ClientConnection?
    private var listener: Int32 = -1
    private let folder: String
    private let interruption: Interruption

    package init(_ command: [String], seconds: Double, _ interruption: Interruption) throws(TrialError) {
        (limit, self.interruption) = (seconds, interruption)
        var template = Array((FileManager.default.temporaryDirectory.path + "/conformance-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .unavailable("cannot create a folder for the socket: \(systemErrorText(errno))")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let socket = path + "/arbiter.socket"
        let listening = ssocket_listen(socket, 128)
        do throws(TrialError) {
            guard listening >= 0 else {
                throw .unavailable("cannot listen at '\(socket)': \(systemErrorText(-listening))")
            }
            client = try ClientProcess(
                command, environment: ["AUDIOSESSION_SOCKET": socket, "AUDIOSESSIOND": path + "/no-arbiter"])
        } catch {
            if listening >= 0 { close(listening) }
            try? FileManager.default.removeItem(atPath: path)
            throw error
        }
        (folder, listener) = (path, listening)
    }

    deinit {
        stopListening()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func remark(_ text: String) { remarks.append(text) }

    /// The last lines of the client's output.
    package var output: [String] { client.lastLines }

    // MARK: Connections

    /// Waits for the next connection, and serves it from then on.
    @discardableResult
    func accept() throws(TrialError) -> ClientConnection {
        let end = TimeLimit(seconds: limit)
        while true {
            let socket = ssocket_accept(listener)
            if socket >= 0 {
                let new = ClientConnection(socket: socket)
                connection = new
                return new
            }
            guard try wait(for: [listener], until: end) else {
                throw .failed("Expected a connection; none came\(suffix).")
            }
        }
    }

    /// Returns a connection that waits; nil if none does.
    func acceptNow() -> ClientConnection? {
        let socket = ssocket_accept(listener)
        return socket >= 0 ? ClientConnection(socket: socket) : nil
    }

    /// Waits until a connection waits, or one of these is readable. Returns false at the limit.
    func waitForConnection(or others: [ClientConnection], until end: TimeLimit) throws(TrialError) -> Bool {
        try wait(for: [listener] + others.map(\.socket), until: end)
    }

    /// Ends the connection, and listens again for the next arbiter after a moment in which nobody
    /// does.
    func loseArbiter(forgets: Bool = false) throws(TrialError) {
        stopListening()
        connection = nil
        arbiter.succeed(forgets: forgets)
        let end = TimeLimit(seconds: 0.2)
        while try wait(for: [], until: end) {}
        listener = ssocket_listen(folder + "/arbiter.socket", 128)
        guard listener >= 0 else { throw .unavailable("cannot listen again: \(systemErrorText(-listener))") }
    }

    private func stopListening() {
        if listener >= 0 { close(listener) }
        listener = -1
        unlink(folder + "/arbiter.socket")
    }

    // MARK: Waits

    /// Waits until one of the sockets is readable. Returns false at the limit, or when the client
    /// has ended and nothing can come.
    private func wait(for sockets: [Int32], until end: TimeLimit) throws(TrialError) -> Bool {
        var hasOutput = true
        while true {
            let others = [interruption.descriptor, client.process, hasOutput ? client.output : -1]
            var watched = (others + sockets).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let count = poll(&watched, nfds_t(watched.count), end.milliseconds)
            if watched[0].revents != 0 { throw .interrupted }
            if watched[2].revents != 0 { hasOutput = client.drain() }
            if watched[3...].contains(where: { $0.revents != 0 }) { return true }
            if count == 0 || end.hasPassed || watched[1].revents != 0 { return false }
        }
    }

    /// Waits for the next message on the connection.
    func receive(until end: TimeLimit) throws(TrialError) -> ClientConnection.Received {
        guard let connection else { return .end }
        while true {
            let received = try connection.receive()
            guard case .nothing = received else { return received }
            guard try wait(for: [connection.socket], until: end) else {
                return client.hasEnded ? .end : .nothing
            }
        }
    }

    /// Answers whatever the client sends until the condition holds. `expected` says what is waited
    /// for. A message that `answer` handles, returning true, is not answered otherwise.
    func serve(
        _ expected: String, until isDone: () -> Bool,
        answer: (ClientMessage, ClientConnection) throws(TrialError) -> Bool = { _, _ throws(TrialError) in false }
    ) throws(TrialError) {
        let end = TimeLimit(seconds: limit)
        while !isDone() {
            switch try receive(until: end) {
            case .message(let message): try respond(to: message, answer)
            case .end: throw .failed("Expected \(expected); the client ended the connection\(try ending()).")
            case .nothing: throw .failed("Expected \(expected); nothing of the kind came within \(limit.text) s.")
            }
        }
    }

    /// Serves the client for a time in which it must not end the connection. Returns how many
    /// requests came.
    func observe(
        seconds: Double,
        answer: (ClientMessage, ClientConnection) throws(TrialError) -> Bool = { _, _ throws(TrialError) in false }
    ) throws(TrialError) -> Int {
        let (end, before) = (TimeLimit(seconds: seconds), connection?.requestCount ?? 0)
        while !end.hasPassed {
            switch try receive(until: end) {
            case .message(let message): try respond(to: message, answer)
            case .end: throw .failed("Expected the client to stay connected; it ended the connection\(try ending()).")
            case .nothing: break
            }
        }
        return (connection?.requestCount ?? 0) - before
    }

    private func respond(
        to message: ClientMessage, _ answer: (ClientMessage, ClientConnection) throws(TrialError) -> Bool
    ) throws(TrialError) {
        guard let connection else { return }
        if try answer(message, connection) { return }
        try require(isRead: arbiter.answer(message, on: connection))
    }

    /// Fails unless a message could be sent.
    func require(isRead: Bool) throws(TrialError) {
        guard isRead else { throw .failed("Expected the client to read its messages; its queue is full.") }
    }

    /// How the client has ended, as the end of a sentence.
    var suffix: String { client.exit.map { ", and its process \($0)" } ?? "" }

    // MARK: The end

    /// How the client has ended, after it has ended its connection, as the end of a sentence. Waits
    /// until it exits, for at most a second: SIGTERM would interfere with a client that is exiting,
    /// and add to its output.
    private func ending() throws(TrialError) -> String {
        let end = TimeLimit(seconds: 1)
        while !client.hasEnded, !end.hasPassed { _ = try wait(for: [], until: end) }
        return suffix
    }

    /// Sends SIGTERM and answers requests until the client has ended its connection and its process
    /// has ended. Returns false if that lasts longer than `seconds`.
    func terminate(seconds: Double) throws(TrialError) -> Bool {
        let end = TimeLimit(seconds: seconds)
        client.send(SIGTERM)
        while !client.hasEnded {
            guard !end.hasPassed else { return false }
            guard connection != nil else {
                _ = try wait(for: [], until: end)
                continue
            }
            switch try receive(until: end) {
            case .message(let message): try respond(to: message) { _, _ in false }
            case .end: connection = nil
            case .nothing: break
            }
        }
        return true
    }

    /// Ends the client, whatever it does.
    package func finish() {
        _ = try? terminate(seconds: 2)
        client.end()
    }
}

extension Double {
    /// Without a fraction that is zero.
    var text: String { self == rounded() ? String(Int(self)) : String(self) }
}
