package import ArgumentParser
package import Dispatch
internal import Foundation
package import Platform

/// What programs share that run in the background, one for each user.
extension ParsableCommand {
    /// Acquires the lock of that name, which only one process of a user holds. Reports and throws
    /// status 75 if another one does.
    package static func lock(_ name: String) throws -> FileLock {
        let path = try RuntimeFolder.path() + "/" + name
        guard let lock = try FileLock(ifFree: path) else {
            throw failure(
                "Another \(configuration.commandName ?? "") is already running; it holds '\(path)'.", EX_TEMPFAIL)
        }
        return lock
    }

    /// Calls `body` on SIGTERM, SIGINT and SIGHUP, as long as the result exists.
    package static func endingSignals(_ body: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: body)
            source.resume()
            return source
        }
    }

    /// Writes a message to standard error, after the program's name.
    package static func report(_ message: String) {
        StandardStream.writeError("\(configuration.commandName ?? ""): \(message.printable)\n")
    }

    /// Reports an error. Returns the exit status to throw.
    package static func failure(_ message: String, _ status: Int32) -> ExitCode {
        report(message)
        return ExitCode(status)
    }
}
