import Foundation

/// A runtime folder of a trial's own, removed with the object.
package final class TrialFolder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("/tmp/arbiter-trial-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw TrialError("There is no temporary folder to be had.") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Where the service makes its files.
    package var service: String { path + "/audiosession" }
    package var socket: String { service + "/arbiter.socket" }
    package var state: String { service + "/arbiter.state.json" }
    package var log: String { service + "/arbiter.log" }

    /// What lies in the service's folder.
    package var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: service)) ?? []).sorted()
    }

    /// Where settings are looked for.
    package var configuration: String { path + "/config/audiosession" }

    /// For programs that are to find this folder and nothing of the user's.
    package var environment: [String: String] {
        let own = path + "/config"
        return [
            // Tests in this process arbitrate for themselves; these programs do not.
            "AUDIOSESSION_ARBITER": "service", "AUDIOSESSION_SOCKET": "", "XDG_RUNTIME_DIR": path,
            "XDG_CONFIG_HOME": own, "XDG_STATE_HOME": own, "XDG_DATA_HOME": own, "HOME": own,
        ]
    }

    /// What stands in a file; empty when it is not there.
    package func text(_ name: String) -> String {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Writes a file, and returns its path.
    package func write(_ text: String, as name: String) throws -> String {
        let file = path + "/" + name
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        return file
    }
}
