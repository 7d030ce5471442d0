public import AudioRendering
public import SessionArbiter
internal import SessionPolicy

/// Why a command was not done: an exit status of sysexits, and one clear sentence.
public struct SwitchboardError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Status: Int32, Sendable {
        case usage = 64
        case data = 65
        case noInput = 66
        case unavailable = 69
        case software = 70
        case tryAgain = 75
        case noPermission = 77
    }

    public var status: Status
    public var message: String

    public init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// What the arbiter answered.
    public init(_ error: RequestError) {
        switch error.code {
        case .refused:
            // A wrong value is wrong use; all else may be otherwise later.
            self.init(error.refusal?.code == .badParam ? .usage : .tryAgain, error.description)
        case .malformed: self.init(.software, error.description)
        case .notPermitted: self.init(.noPermission, error.description)
        case .limit: self.init(.tryAgain, error.description)
        case .unavailable: self.init(.unavailable, error.description)
        }
    }

    public init(_ error: ArbiterError) {
        switch error {
        case .refused(let refusal): self.init(RequestError(refusal))
        case .unavailable: self.init(.unavailable, error.description)
        }
    }

    public init(_ error: DriverError) { self.init(.unavailable, error.description) }

    public var description: String { message }
}
