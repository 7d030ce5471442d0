public import AudioRendering
public import SessionArbiter
internal import SessionPolicy

/// Why a command failed: an exit status of sysexits.h, or as env(1) for a command that it runs, and
/// a one-sentence message.
public struct CommandError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Status: Int32, Sendable {
        case usage = 64
        case noInput = 66
        case unavailable = 69
        case software = 70
        case tryAgain = 75
        case noPermission = 77
        /// A command to run was found, but cannot be run.
        case cannotRun = 126
        /// A command to run does not exist.
        case notFound = 127
    }

    public var status: Status
    public var message: String

    public init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates the error for a request that the arbiter refused or did not answer.
    public init(_ error: RequestError) {
        switch error.code {
        case .refused:
            // An invalid value is a usage error; other refusals may be temporary.
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
