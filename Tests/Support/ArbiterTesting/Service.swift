package import Foundation

/// The real service, in a separate folder.
package struct Service {
    package let folder: TrialFolder
    package let program: Program

    /// Starts the service and waits until it is ready. `configuration` is YAML.
    package init(in folder: TrialFolder, configuration: String = "", arguments: [String] = []) throws {
        self.folder = folder
        let file = try folder.write(configuration, as: "service.yaml")
        program = try Program(
            try Program.built("audiosessiond"), ["--foreground", "--ready-fd", "3", "--config", file] + arguments,
            environment: folder.environment, errorsTo: folder.path + "/service.err", outputAlsoAt3: true)
        let line = try program.readLine()
        guard line == "ready" else { throw TrialError("The service is not ready: \(line ?? "it has ended").") }
    }

    package var process: pid_t { program.process }

    /// The service's standard error.
    package var report: String { (try? String(contentsOfFile: folder.path + "/service.err", encoding: .utf8)) ?? "" }

    /// Ends the service and returns its exit status.
    package func end(_ signal: Int32 = SIGTERM) throws -> Int32 {
        program.send(signal)
        return try program.waitForEnd()
    }

    /// Returns a configuration that trusts the given programs, or this program by default.
    package static func trusting(_ programs: [String]? = nil, _ rest: String = "") throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return "programs: {trusted: [\((programs ?? [own]).map { "\"\($0)\"" }.joined(separator: ", "))]}\n" + rest
    }
}
