public import SessionArbiter
internal import SessionPolicy

/// A connection through which the commands send requests to the arbiter. Tests substitute their
/// own implementation.
public protocol ArbiterClient {
    /// The path of the arbiter's socket, for error messages.
    var socketPath: String { get }

    /// Sends a request and returns the arbiter's reply.
    func ask(_ request: ClientMessage.Request) throws(RequestError) -> Reply
}

extension ArbiterClient {
    /// Sends a request and returns `part` of the reply. Throws if the reply does not contain it;
    /// `partName` names it in the error message.
    func ask<Value>(
        _ request: ClientMessage.Request, for part: KeyPath<Reply, Value?>, _ partName: String
    ) throws(CommandError) -> Value {
        let reply: Reply
        do throws(RequestError) { reply = try ask(request) } catch { throw CommandError(error) }
        guard let value = reply[keyPath: part] else {
            throw CommandError(
                .software, "The arbiter at '\(socketPath)' did not include \(partName) in its reply; restart it.")
        }
        return value
    }

    /// Returns the arbiter's current state.
    public func report() throws(CommandError) -> ArbiterReport {
        try ask(.report, for: \.report, "a report")
    }

    /// Returns the decisions of the log whose numbers are greater than `number`; with `follows`,
    /// the arbiter also sends later ones as messages.
    public func decisions(after number: UInt64 = 0, follows: Bool = false) throws(CommandError) -> [Decision] {
        try ask(.log(after: number, follows: follows), for: \.decisions, "its log")
    }

    /// Submits an action to the policy.
    func submit(_ action: PolicyAction) throws(CommandError) {
        do throws(RequestError) { _ = try ask(.submit(action)) } catch { throw CommandError(error) }
    }
}
