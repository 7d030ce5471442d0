internal import Dispatch
internal import Foundation
internal import Platform
internal import SessionPolicy

/// The connection to whichever arbiter there is: when one is lost the next is found or started, and told what this client holds (SRV-3).
final class ArbiterLink: Sendable {
    private struct State {
        var connection: ArbiterConnection?
        /// Counts connections, also those that failed.
        var number = 0
        var waiting: [Answer<Void>] = []
        var isReconnecting = false
        var isClosed = false
    }
    private let state = Locked(State())
    private let launch: ArbiterLaunch
    private let mirror: ArbiterMirror
    /// Signalled when it is closed: a pause between two attempts ends by it.
    private let closing = DispatchSemaphore(value: 0)

    /// Seconds between two attempts.
    private static let (shortestPause, longestPause) = (0.01, 1.0)
    /// Seconds within which an arbiter answers who restores: it waits for other clients first.
    private static let restoreLimit = 5.0

    init(_ address: ArbiterAddress, _ mirror: ArbiterMirror) {
        launch = ArbiterLaunch(address: address)
        self.mirror = mirror
    }

    /// Connects for the first time.
    func open() throws(ArbiterError) { try connect() }

    /// Ends it; requests that wait throw. Idempotent.
    func close() {
        let (connection, waiting) = state.withLock { state in
            state.isClosed = true
            defer { (state.connection, state.waiting) = (nil, []) }
            return (state.connection, state.waiting)
        }
        connection?.close()
        closing.signal()
        for one in waiting { one.set(()) }
    }

    // MARK: Requests

    /// Asks the arbiter there is, and where that is lost meanwhile the next.
    func request(
        _ request: ClientMessage.Request, taking: PendingReply.Taking? = nil
    ) throws(RequestError) -> Reply {
        let deadline = Deadline(seconds: ArbiterLaunch.limit)
        while let connection = connection(before: deadline) {
            do throws(ExchangeFailure) {
                let timeout = min(ArbiterConnection.timeout, deadline.seconds)
                return try connection.ask(request, timeout: timeout, taking: taking).reply
            } catch {
                // What a lost arbiter did and did not tell is lost with it: the next is asked anew.
                guard case .end = error, !deadline.hasPassed else { throw error.error }
                lost(connection)
            }
        }
        throw RequestError(
            .unavailable,
            """
            '\(request.name)' was asked of the arbiter, but it is gone and none has taken its place at '\(launch.address.path)'; look with \
            `audiosession doctor` why audiosessiond does not start.
            """)
    }

    private func connection(before deadline: Deadline) -> ArbiterConnection? {
        while true {
            let news = Answer<Void>()
            let (connection, isClosed) = state.withLock { state in
                if state.connection == nil { state.waiting.append(news) }
                return (state.connection, state.isClosed)
            }
            if connection != nil || isClosed { return connection }
            beginReconnecting()
            guard news.wait(seconds: deadline.seconds) != nil else { return nil }
        }
    }

    // MARK: Connecting

    /// Connects, restores what is held, and from then on serves requests. Throws when there is no connection after all.
    private func connect() throws(ArbiterError) {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        mirror.forgetUnknown()
        let restorations = mirror.restorations
        let last = mirror.welcome
        mirror.listen(to: number)
        let connection = try launch.connect(
            hello: .init(
                arbiter: last.arbiter == 0 ? nil : last.arbiter, restoring: restorations.count,
                application: last.arbiter == 0 ? nil : mirror.application(last.app)),
            receive: { [weak mirror] in mirror?.take($0, over: number) }, ended: { [weak self] in self?.lost(number) })
        mirror.note(connection.welcome)
        do throws(ExchangeFailure) {
            var replies: [(id: SessionID, reply: PendingReply)] = []
            for restoration in restorations {
                replies.append((restoration.record.session.id, try connection.send(.restore(restoration))))
            }
            for (id, reply) in replies { try conclude(id, reply, connection) }
            try tellDevices(connection)
            // The arbiter decides on what comes next with all of these in mind, and so does who asks: every gate is the new one.
            try serve(by: connection)
        } catch {
            throw ArbiterError(error.error)
        }
    }

    /// Lets requests go over the connection; throws when it is over already, or not wanted any longer.
    private func serve(by connection: ArbiterConnection) throws(ExchangeFailure) {
        let waiting: [Answer<Void>]? = state.withLock { state in
            guard !state.isClosed, !connection.hasEnded else { return nil }
            state.connection = connection
            defer { state.waiting = [] }
            return state.waiting
        }
        guard let waiting else { throw .end(RequestError(.unavailable, "The connection to the arbiter has ended.")) }
        for one in waiting { one.set(()) }
    }

    /// Takes over a session's new page, or lets go of a session that the arbiter does not take.
    private func conclude(
        _ id: SessionID, _ pending: PendingReply, _ connection: ArbiterConnection
    ) throws(ExchangeFailure) {
        let content: PendingReply.Content
        do throws(ExchangeFailure) {
            content = try pending.wait(before: Deadline(seconds: Self.restoreLimit))
        } catch {
            guard case .answer = error else { throw error }
            return mirror.expire(id)
        }
        // Given up meanwhile, when nobody could be told.
        guard mirror.holds(id) else { return _ = try? connection.ask(.submit(.unregister(id))) }
        guard mirror.hasGate(id) else { return }
        guard let descriptor = content.descriptor, let gate = try? SessionGate(mapping: descriptor.number) else {
            mirror.expire(id)
            return _ = try? connection.ask(.submit(.unregister(id)))
        }
        mirror.replaceGate(of: id, by: gate)
    }

    /// What this process sees on its media server. Where the arbiter knows it already, that changes nothing.
    private func tellDevices(_ connection: ArbiterConnection) throws(ExchangeFailure) {
        guard let action = mirror.seenDevices else { return }
        do throws(ExchangeFailure) {
            _ = try connection.send(.submit(action)).wait(before: Deadline(seconds: Self.restoreLimit))
        } catch {
            guard case .answer = error else { throw error }
        }
    }

    // MARK: Loss

    private func lost(_ connection: ArbiterConnection) {
        let number = state.withLock { $0.connection === connection ? $0.number : nil }
        if let number { lost(number) }
    }

    /// The connection of this number has ended.
    private func lost(_ number: Int) {
        let isNews = state.withLock { state in
            guard state.number == number, state.connection != nil else { return false }
            state.connection = nil
            return true
        }
        if isNews { beginReconnecting() }
    }

    /// Has a thread look for an arbiter until there is a connection, unless one does already.
    private func beginReconnecting() {
        let begins = state.withLock { state in
            guard state.connection == nil, !state.isClosed else { return false }
            defer { state.isReconnecting = true }
            return !state.isReconnecting
        }
        guard begins else { return }
        let thread = WorkerThread()
        let isStarted = thread.start(name: "audio-reconnect") { [weak self, closing] in
            var pause = Self.shortestPause
            while let next = self?.reconnect(after: pause) {
                if closing.wait(timeout: .now() + pause) == .success { return }
                pause = next
            }
        }
        // The next request tries again.
        if !isStarted { state.withLock { $0.isReconnecting = false } }
    }

    /// One attempt; returns the pause after the next, nil when there is a connection or nobody wants one any longer.
    private func reconnect(after pause: Double) -> Double? {
        try? connect()
        return state.withLock { state in
            guard state.connection == nil, !state.isClosed else {
                state.isReconnecting = false
                return nil
            }
            return min(pause * 2, Self.longestPause)
        }
    }
}
