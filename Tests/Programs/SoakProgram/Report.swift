import Foundation

/// The events of a run and their results: a table for people, and one line of JSON for programs.
struct Report: Encodable {
    var server: String
    var seed: UInt64
    var seconds: Double
    var faults: [String: Int]
    var kills: Int
    var plugs: Int
    var periods: Int
    var recoveryMedianSeconds: Double
    var recoveryMaximumSeconds: Double
    var glitches: Int
    var excused: Int
    var lostFrames: Int
    var gaps: Int
    var xruns: Int
    var underrunFrames: Int
    var fades: Int
    var framesHeard: Int
    var devicesHeard: Int
    var silenceChecks: Int
    var untouchedChecks: Int
    var pauses: Int
    var refusals: Int
    var threads: [Int]
    var descriptors: [Int]
    var megabytes: [Int]
    /// Shared memory of killed processes: JACK keeps it until the next process of that name.
    var sharedLeftovers: Int
    var leaks: [String]

    func print() {
        Swift.print("  faults")
        for (name, count) in faults.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            row("  " + name, "\(count)")
        }
        row("servers ended / devices plugged or unplugged / periods", "\(kills) / \(plugs) / \(periods)")
        row(
            "recoveries: median, longest",
            String(format: "%.0f ms, %.0f ms", recoveryMedianSeconds * 1e3, recoveryMaximumSeconds * 1e3))
        row("frames recorded, of devices", "\(framesHeard), \(devicesHeard)")
        row("fades, all of them expected", "\(fades)")
        row("checks of silence and of undisturbed channels", "\(silenceChecks), \(untouchedChecks)")
        row("interruptions continued at the next frame", "\(pauses)")
        row("glitches", "\(glitches)")
        row("faults attributed to xruns, frames lost there", "\(excused), \(lostFrames)")
        row("gaps of PipeWire, not counted as xruns", "\(gaps)")
        row("xruns that the server counted", "\(xruns)")
        row("stream underruns in frames, with the process stopped", "\(underrunFrames)")
        row("calls refused", "\(refusals)")
        row("threads: start, warm, end", threads.map(String.init).joined(separator: ", "))
        row("descriptors: start, warm, end", descriptors.map(String.init).joined(separator: ", "))
        row("memory in MiB: start, warm, end", megabytes.map(String.init).joined(separator: ", "))
        row("left in /dev/shm by processes that were killed", "\(sharedLeftovers)")
        row("leaks", leaks.isEmpty ? "nothing" : leaks.joined(separator: "; "))
    }

    private func row(_ name: String, _ value: String) {
        Swift.print("  " + name.padding(toLength: 56, withPad: " ", startingAt: 0) + value)
    }

    /// Returns the report as one line of JSON.
    func line() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
