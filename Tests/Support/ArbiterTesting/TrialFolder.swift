import Foundation

/// A runtime folder for one trial. Removed with the object.
package final class TrialFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/arbiter-trial-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TrialError("Cannot create a temporary folder.") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The folder in which the service creates its files.
    package var service: String { path + "/audiosession" }
    package var socket: String { service + "/arbiter.socket" }
    package var state: String { service + "/arbiter.state.json" }
    package var log: String { service + "/arbiter.log" }

    /// The names of the files in the service's folder.
    package var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: service)) ?? []).sorted()
    }

    /// The folder in which programs look for settings.
    package var configuration: String { path + "/config/audiosession" }

    /// An environment for programs that are to use this folder and nothing of the user's.
    package var environment: [String: String] {
        let own = path + "/config"
        return [
            // Tests in this process use the in-process arbiter; these programs use the service.
            "AUDIOSESSION_ARBITER": "service", "AUDIOSESSION_SOCKET": "", "XDG_RUNTIME_DIR": path,
            "XDG_CONFIG_HOME": own, "XDG_STATE_HOME": own, "XDG_DATA_HOME": own, "HOME": own,
        ]
    }

    /// Returns the contents of a file, or an empty string if it does not exist.
    package func text(_ name: String) -> String {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Writes a file and returns its path.
    package func write(_ text: String, as name: String) throws -> String {
        let file = path + "/" + name
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        return file
    }
}
