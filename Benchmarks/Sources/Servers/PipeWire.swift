internal import Foundation

/// A PipeWire of the benchmark's own, without a session's policy: a null sink stands where jackd has its dummy device, under the same name.
///
/// No source stands beside it: in PipeWire 0.3.65 a client that is linked to a null sink and to a test source is called for no cycle.
package enum PipeWire {
    /// The folder of PipeWire's libjack; nil: it is not installed.
    package static let library: String? = {
        let roots = ["/usr/lib", "/usr/lib64"]
        let triples = roots.flatMap { root in
            [root] + ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []).map { root + "/" + $0 }
        }
        return triples.map { $0 + "/pipewire-0.3/jack" }.first {
            FileManager.default.fileExists(atPath: $0 + "/libjack.so.0")
        }
    }()

    /// Writes a configuration; its path.
    static func configure(name: String, period: Int, in folder: String) throws -> String {
        let path = folder + "/pipewire.conf"
        try configuration(name: name, period: period).write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    private static func configuration(name: String, period: Int) -> String {
        """
        context.properties = {
            core.daemon = true
            core.name = \(name)
            default.clock.rate = \(Server.sampleRate)
            default.clock.quantum = \(period)
            default.clock.min-quantum = 16
            default.clock.max-quantum = 8192
        }
        context.spa-libs = {
            audio.convert.* = audioconvert/libspa-audioconvert
            support.* = support/libspa-support
        }
        context.modules = [
            { name = libpipewire-module-rt args = { nice.level = -11 rt.prio = 88 rlimits.enabled = true rtkit.enabled = false } flags = [ ifexists nofail ] }
            { name = libpipewire-module-protocol-native }
            { name = libpipewire-module-metadata }
            { name = libpipewire-module-spa-node-factory }
            { name = libpipewire-module-client-node }
            { name = libpipewire-module-access }
            { name = libpipewire-module-adapter }
            { name = libpipewire-module-link-factory }
        ]
        context.objects = [
            { factory = metadata args = { metadata.name = default } }
            { factory = adapter args = {
                factory.name = support.null-audio-sink, node.name = system, media.class = Audio/Sink
                object.linger = true, audio.channels = 2, priority.driver = 3000
                adapter.auto-port-config = { mode = dsp, monitor = false, position = unknown } } }
        ]
        """
    }
}
