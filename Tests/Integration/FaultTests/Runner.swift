import Foundation
import TestSupport

/// Runs the fault runner on the fake libjack.
enum Runner {
    /// The fake libjack, built once for all tests, or the reason why it could not be built.
    private static let library = Result { () throws in
        let directory = try TemporaryDirectory()
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let built = try ChildProcess.run(
            tests.appendingPathComponent("Support/FakeJack/build").path, [directory.path], seconds: 120)
        guard built.status == 0 else { throw TestFailure("Cannot build the fake libjack:\n\(built.output)") }
        return directory
    }

    struct Outcome {
        var status: Int32
        var lines: [String]
        var output: String { lines.joined(separator: "\n") }

        /// Returns whether there are lines with these beginnings, in this order.
        func prints(_ beginnings: [String]) -> Bool {
            var rest = lines[...]
            for beginning in beginnings {
                guard let place = rest.firstIndex(where: { $0.hasPrefix(beginning) }) else { return false }
                rest = rest[(place + 1)...]
            }
            return true
        }
    }

    /// The path of the fake libjack.
    static var libraryPath: String { get throws { try library.get().file("libjack.so.0") } }

    static func run(
        _ scenario: String, _ script: [String] = [], arguments: [String] = [], through shell: [String] = [],
        seconds: Double = 120
    ) throws -> Outcome {
        let directory = try TemporaryDirectory()
        let file = directory.file("script")
        try script.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let command = shell + [try BuiltProgram.path("fault-runner"), scenario, "--script", file] + arguments
        let (status, output) = try ChildProcess.run(
            command[0], Array(command.dropFirst()),
            environment: ["LD_LIBRARY_PATH": try library.get().path, "AUDIOSESSION_ARBITER": "in-process"],
            seconds: seconds)
        return Outcome(status: status, lines: output.split(separator: "\n").map(String.init))
    }
}
