package import ArgumentParser
internal import CPlatform
internal import Foundation
internal import Platform

extension ParsableCommand {
    /// Runs a program with this command, and exits. `arguments` are those after the program's name.
    ///
    /// Prepares the process (`platform_begin_program`). Messages about arguments quote them, and a
    /// file's name may contain control characters: these are shown as escape sequences.
    package static func runProgram(_ arguments: [String]? = nil) -> Never {
        platform_begin_program()
        do {
            var command = try parseAsRoot(arguments)
            try command.run()
            Foundation.exit(ExitCode.success.rawValue)
        } catch {
            let status = exitCode(for: error)
            let lines = fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
            let text = lines.map { String($0).printable }.joined(separator: "\n")
            guard !text.isEmpty else { Foundation.exit(status.rawValue) }
            // Help that was requested is output. If it cannot be written, the end of the process
            // says so.
            if status.isSuccess { print(text) } else { StandardStream.writeError(text + "\n") }
            Foundation.exit(status.rawValue)
        }
    }
}
