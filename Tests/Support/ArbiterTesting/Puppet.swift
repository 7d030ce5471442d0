package import Foundation
package import SessionArbiter
package import SessionPolicy

/// A client in a process of its own: it can be stopped and killed. See `arbiter-puppet`.
package final class Puppet {
    package let program: Program
    /// Requests and replies on this connection: the service answers in order.
    private var (said, answered) = (0, 0)
    package var news: [ArbiterMessage] = []

    package init(_ socket: String) throws {
        program = try Program(try Program.built("arbiter-puppet"), [socket])
    }

    package var process: pid_t { program.process }

    /// Says something, and does not wait.
    package func say(_ request: ClientMessage.Request) throws {
        let asked = try JSONEncoder().encode(ClientMessage(serial: 0, request))
        // The puppet numbers it.
        guard var object = try JSONSerialization.jsonObject(with: asked) as? [String: Any] else {
            throw TrialError("A request is no object.")
        }
        object["serial"] = nil
        said += 1
        program.write(String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self))
    }

    /// Says something, and waits for the reply; of a descriptor that comes with it nothing is seen.
    @discardableResult
    package func ask(_ request: ClientMessage.Request, within seconds: Double = 20) throws -> RawClient.Answer {
        try say(request)
        while let message = try next(within: seconds) {
            switch message {
            case .reply(_, let reply):
                answered += 1
                if answered == said { return .success(reply) }
            case .failure(_, let error):
                answered += 1
                if answered == said { return .failure(error) }
            default: continue
            }
        }
        throw TrialError("The puppet's connection ended before the reply.")
    }

    /// A new connection, after the end of the one before.
    package func reconnect() {
        (said, answered) = (0, 0)
        program.write("connect")
    }

    /// Reads until it tells that its connection has ended.
    package func awaitEnd(within seconds: Double = 20) throws {
        while try next(within: seconds) != nil {}
    }

    /// Reads until a notice of this kind comes.
    package func awaitNotice(_ session: SessionID, within seconds: Double = 20, _ kind: Effect.Kind) throws {
        let isIt: (ArbiterMessage) -> Bool = {
            if case .notice(let notice) = $0 {
                notice.effect.session == session && notice.effect.kind == kind
            } else {
                false
            }
        }
        while !news.contains(where: isIt) {
            guard try next(within: seconds) != nil else { throw TrialError("The puppet was cut off before \(kind).") }
        }
    }

    /// The next message that it has got; nil: the end.
    private func next(within seconds: Double) throws -> ArbiterMessage? {
        guard let line = try program.readLine(within: seconds) else { throw TrialError("The puppet has ended.") }
        guard line != "end" else { return nil }
        let message = try JSONDecoder().decode(ArbiterMessage.self, from: Data(line.utf8))
        switch message {
        case .notice, .status: news.append(message)
        default: break
        }
        return message
    }

    /// The last that it was told of a session.
    package func status(of id: SessionID) -> SessionNews? {
        for case .status(let told) in news.reversed() where told.status.session.id == id { return told }
        return nil
    }

    /// Says hello, registers a session, and activates it.
    package func play(_ options: CategoryOptions = []) throws -> SessionID {
        _ = try ask(.hello(.init())).get()
        guard let id = try ask(.register(app: nil)).get().session else { throw TrialError("No session's number came.") }
        _ = try ask(.submit(.configure(id, .category(.playback, options: options)))).get()
        _ = try ask(.submit(.activate(id))).get()
        return id
    }
}
