internal import AudioRendering
internal import Platform

/// PipeWire's settings, by its own tool `pw-metadata`: its JACK library has no call for them.
enum PipeWireSettings {
    /// Seconds that the tool may take.
    private static let limit = 3.0

    /// Has the graph run at a rate in Hz, whatever streams ask for. Takes effect later. `remote` is the name of a daemon, nil: the one that
    /// PIPEWIRE_REMOTE names, or the default one.
    static func force(_ sampleRate: Int, at remote: String?) throws(DriverError) {
        do throws(SystemFailure) {
            _ = try run(["clock.force-rate", String(sampleRate)], remote)
        } catch {
            throw .refused(call: "a rate of \(sampleRate) Hz", reason: error.reason)
        }
    }

    /// Leaves the rate to PipeWire again, if this is its own.
    static func release(at remote: String?, ifOwn sampleRate: Int) throws(DriverError) {
        do throws(SystemFailure) {
            guard value(of: "clock.rate", in: try run([], remote)) == sampleRate else { return }
            _ = try run(["clock.force-rate", "0"], remote)
        } catch {
            throw .refused(call: "to be left to its own rate of \(sampleRate) Hz", reason: error.reason)
        }
    }

    /// Among lines like `update: id:0 key:'clock.rate' value:'48000' type:''`.
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
            of: program, arguments: (remote.map { ["-r", $0] } ?? []) + ["-n", "settings", "0"] + words, limit: limit)
    }
}
