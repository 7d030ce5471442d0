public import SessionArbiter
internal import SessionPolicy

/// The arbiter, as the commands ask it. In tests, a stand-in.
public protocol ArbiterDesk {
    /// Where it listens, for people.
    var place: String { get }

    func ask(_ request: ClientMessage.Request) throws(RequestError) -> Reply
}

extension ArbiterDesk {
    /// Asks, and takes what the reply must hold.
    func ask<Value>(
        _ request: ClientMessage.Request, for part: KeyPath<Reply, Value?>, _ what: String
    ) throws(SwitchboardError) -> Value {
        let reply: Reply
        do throws(RequestError) { reply = try ask(request) } catch { throw SwitchboardError(error) }
        guard let value = reply[keyPath: part] else {
            throw SwitchboardError(
                .software, "The arbiter at '\(place)' was asked for \(what) and answered without; restart it.")
        }
        return value
    }

    public func report() throws(SwitchboardError) -> ArbiterReport {
        try ask(.report, for: \.report, "a report")
    }

    public func decisions(after number: UInt64 = 0, follows: Bool = false) throws(SwitchboardError) -> [Decision] {
        try ask(.log(after: number, follows: follows), for: \.decisions, "its log")
    }

    /// Has the policy decide.
    func submit(_ action: PolicyAction) throws(SwitchboardError) {
        do throws(RequestError) { _ = try ask(.submit(action)) } catch { throw SwitchboardError(error) }
    }
}
