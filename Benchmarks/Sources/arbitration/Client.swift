import CSessionSocket
import Foundation
import Processes

/// A requester: a connection of this process, or a separate process that executes commands.
protocol Client: AnyObject {
    /// Sends a request of the protocol, without a serial number, and waits for the reply. Also
    /// returns the descriptor that came with it, or -1.
    func ask(_ request: String) throws -> (reply: [UInt8], descriptor: Int32)
    /// Reads all received messages, so that the service's queue is empty.
    func catchUp() throws
}

extension Client {
    /// Registers a session and maps its gate.
    func register() throws -> Session {
        let (reply, descriptor) = try ask(#""request": "register""#)
        defer { close(descriptor) }
        guard let id = reply.number(after: #""session":"#) else { throw BenchmarkError("The reply has no session.") }
        return Session(id: id, client: self, gate: try Gate(descriptor))
    }
}

/// The gate page of a session, as an app maps it.
final class Gate {
    private let page: OpaquePointer

    init(_ descriptor: Int32) throws {
        var page: OpaquePointer?
        guard ssocket_gate_map(descriptor, &page) == 0, let page else { throw BenchmarkError("Cannot map a gate.") }
        self.page = page
    }

    deinit { ssocket_gate_unmap(page) }

    var grant: sgate_grant_t { sgate_page_grant(page) }
}

struct Session {
    let id: UInt64
    let client: any Client
    let gate: Gate

    func ask(_ action: String, _ keys: String = "") throws {
        _ = try client.ask(#""action": "\#(action)", "session": \#(id)\#(keys.isEmpty ? "" : ", " + keys)"#)
    }

    /// Configures the session to mix with all others.
    func mix(_ options: String = "") throws {
        try ask("configure", #""category": "ambient", "options": [\#(options)]"#)
    }
}

/// A connection of this process to the arbiter.
typealias Connection = ArbiterConnection

extension ArbiterConnection: Client {}
