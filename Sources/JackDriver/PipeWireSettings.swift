internal import AudioRendering
internal import Platform

/// PipeWire's settings, through its tool `pw-metadata`; its JACK library has no call for them.
enum PipeWireSettings {
    /// Seconds that the tool may take.
    private static let limit = 3.0

    /// Forces the graph to a sample rate in Hz, whatever rate streams request. Takes effect later.
    /// `remote` is the name of a daemon; nil: the one that PIPEWIRE_REMOTE names, otherwise the
    /// default one.
    static func force(_ sampleRate: Int, at remote: String?) throws(DriverError) {
        do throws(SystemFailure) {
            _ = try run(["clock.force-rate", String(sampleRate)], remote)
        } catch {
            throw .refused(call: "a rate of \(sampleRate) Hz", reason: error.reason)
        }
    }

    /// Stops forcing the sample rate if `sampleRate` is PipeWire's default rate.
    static func release(at remote: String?, ifDefault sampleRate: Int) throws(DriverError) {
        do throws(SystemFailure) {
            guard value(of: "clock.rate", in: try run([], remote)) == sampleRate else { return }
            _ = try run(["clock.force-rate", "0"], remote)
        } catch {
            throw .refused(call: "the reset to its default rate of \(sampleRate) Hz", reason: error.reason)
        }
    }

    /// Returns the value of a key among lines such as `update: id:0 key:'clock.rate' value:'48000'
    /// type:''`.
    static func value(of key: String, in listing: String) -> Int? {
        for line in listing.split(separator: "\n") where line.contains("key:'\(key)'") {
            guard let text = line.split(separator: "'").dropFirst(3).first else { continue }
            return Int(text)
        }
        return nil
    }

    private static func run(_ words: [String], _ remote: String?) throws(SystemFailure) -> String {
        let program = try ProgramLaunch.find("pw-metadata", orNamedBy: "AUDIOSESSION_PW_METADATA")
        return try ProgramLaunch.output(
            of: program, arguments: (remote.map { ["-r", $0] } ?? []) + ["-n", "settings", "0"] + words,
            timeoutSeconds: limit)
    }
}
