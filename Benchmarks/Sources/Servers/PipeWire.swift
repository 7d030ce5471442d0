internal import Foundation

/// A PipeWire server that the benchmark starts, without a session manager. A null sink replaces
/// jackd's dummy device, under the same name.
///
/// It has no source: in PipeWire 0.3.65 a client that is linked to a null sink and to a test source
/// is not called in any cycle.
package enum PipeWire {
    /// The folder of PipeWire's libjack; nil if it is not installed.
    package static let library: String? = {
        let roots = ["/usr/lib", "/usr/lib64"]
        let triples = roots.flatMap { root in
            [root] + ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).map { root + "/" + $0 }
        }
        return triples.map { $0 + "/pipewire-0.3/jack" }.first {
            FileManager.default.fileExists(atPath: $0 + "/libjack.so.0")
        }
    }()

    /// Writes a configuration and returns its path.
    static func configure(name: String, period: Int, in folder: String) throws -> String {
        let path = folder + "/pipewire.conf"
        try configuration(name: name, period: period).write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Returns the configuration that tests and benchmarks share, with real-time priority if the
    /// system permits it.
    private static func configuration(name: String, period: Int) throws -> String {
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
        let template = root.appendingPathComponent("Tests/Support/PipeWire/server.conf")
        let values = [
            "NAME": name, "RATE": "\(Server.sampleRate)", "PERIOD": "\(period)", "properties": "", "objects": "",
            "modules": """
            { name = libpipewire-module-rt args = { nice.level = -11 rt.prio = 88 rlimits.enabled = true
                    rtkit.enabled = false } flags = [ ifexists nofail ] }
            """,
        ]
        return values.reduce(try String(contentsOf: template, encoding: .utf8)) { text, entry in
            text.replacingOccurrences(of: "@\(entry.key)@", with: entry.value)
        }
    }
}
