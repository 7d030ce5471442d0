package import Foundation
package import SessionArbiter
package import SessionPolicy

/// A client in a separate process that a test can stop and kill. See `arbiter-test-client`.
package final class TestClient {
    package let program: Program
    /// The numbers of requests and replies on this connection. The service replies in order.
    private var (sentCount, replyCount) = (0, 0)
    package var messages: [ArbiterMessage] = []

    package init(_ socket: String) throws {
        program = try Program(try Program.built("arbiter-test-client"), [socket])
    }

    package var process: pid_t { program.process }

    /// Sends a request without waiting for its reply.
    package func say(_ request: ClientMessage.Request) throws {
        let encoded = try JSONEncoder().encode(ClientMessage(serial: 0, request))
        // The client program adds the serial number.
        guard var object = try JSONSerialization.jsonObject(with: encoded) as? [String: Any] else {
            throw TrialError("The request is not a JSON object.")
        }
        object["serial"] = nil
        sentCount += 1
        program.write(String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
    }

    /// Sends a request and waits for its reply. The client program discards a descriptor that comes
    /// with it.
    @discardableResult
    package func ask(_ request: ClientMessage.Request, within seconds: Double = 20) throws -> RawClient.Answer {
        try say(request)
        while let message = try next(within: seconds) {
            switch message {
            case .reply(_, let reply):
                replyCount += 1
                if replyCount == sentCount { return .success(reply) }
            case .failure(_, let error):
                replyCount += 1
                if replyCount == sentCount { return .failure(error) }
            default: continue
            }
        }
        throw TrialError("The client's connection ended before the reply.")
    }

    /// Connects again after the previous connection has ended.
    package func reconnect() {
        (sentCount, replyCount) = (0, 0)
        program.write("connect")
    }

    /// Reads until the client reports that its connection has ended.
    package func awaitEnd(within seconds: Double = 20) throws {
        while try next(within: seconds) != nil {}
    }

    /// Reads until a notice of this kind arrives.
    package func awaitNotice(_ session: SessionID, within seconds: Double = 20, _ kind: Effect.Kind) throws {
        let isMatch: (ArbiterMessage) -> Bool = {
            if case .notice(let notice) = $0 {
                notice.effect.session == session && notice.effect.kind == kind
            } else {
                false
            }
        }
        while !messages.contains(where: isMatch) {
            guard try next(within: seconds) != nil else {
                throw TrialError("The client's connection ended before \(kind).")
            }
        }
    }

    /// Returns the next message that the client received, or nil at the end of its connection.
    private func next(within seconds: Double) throws -> ArbiterMessage? {
        guard let line = try program.readLine(within: seconds) else { throw TrialError("The client has ended.") }
        guard line != "end" else { return nil }
        let message = try JSONDecoder().decode(ArbiterMessage.self, from: Data(line.utf8))
        switch message {
        case .notice, .status: messages.append(message)
        default: break
        }
        return message
    }

    /// Returns the last status of a session that the client received.
    package func status(of id: SessionID) -> SessionUpdate? {
        for case .status(let notified) in messages.reversed() where notified.status.session.id == id { return notified }
        return nil
    }

    /// Says hello, registers a playback session, and activates it.
    package func play(_ options: CategoryOptions = []) throws -> SessionID {
        _ = try ask(.hello(.init())).get()
        guard let id = try ask(.register(app: nil)).get().session else {
            throw TrialError("The reply has no session number.")
        }
        _ = try ask(.submit(.configure(id, .category(.playback, options: options)))).get()
        _ = try ask(.submit(.activate(id))).get()
        return id
    }
}
