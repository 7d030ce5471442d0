internal import AudioRendering
internal import AudioSessions

/// Why a program exits early: an exit status of sysexits.h and a one-sentence message.
package struct ProgramFailure: Error, Equatable {
    package enum Status: Int32 {
        case usage = 64
        case data = 65
        case noInput = 66
        case unavailable = 69
        case software = 70
        case cannotCreate = 73
        case temporary = 75
        case noPermission = 77
    }

    package var status: Status
    package var message: String

    package init(_ status: Status, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Converts an error into an exit status and a message; an unknown error becomes `software`.
    package init(_ error: any Error) {
        switch error {
        case let failure as ProgramFailure: self = failure
        case let error as AudioFileError: self.init(Self.status(of: error), error.description)
        case let error as CaptureError:
            if case .file(let file) = error {
                self.init(Self.status(of: file), file.description)
            } else {
                self.init(.software, error.description)
            }
        case let error as DriverError: self.init(.unavailable, error.description)
        case let error as AudioSessionError: self.init(Self.status(of: error.errorCode), error.description)
        case let error as AudioEngineError: self.init(.software, error.description)
        default: self.init(.software, "\(error)")
        }
    }

    private static func status(of error: AudioFileError) -> Status {
        switch error {
        case .notFound, .notAFile: .noInput
        case .notPermitted: .noPermission
        case .empty, .undecodable, .truncated, .unsupportedShape: .data
        case .unknownFormat: .usage
        case .notWritable: .cannotCreate
        }
    }

    private static func status(of code: AudioSession.ErrorCode) -> Status {
        switch code {
        case .badParam, .incompatibleCategory: .usage
        case .mediaServicesFailed, .resourceNotAvailable, .insufficientPriority, .unspecified: .unavailable
        default: .software
        }
    }
}
