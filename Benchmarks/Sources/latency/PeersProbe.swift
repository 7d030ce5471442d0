import Foundation
import Processes

/// `peer-probe`: two bare JACK clients that receive from the peers and send to them. Its errors end
/// the measurement.
struct PeerProbe {
    private let process: PeerProcess
    static let taps = 16

    init(server: String, environment: [String: String]) throws {
        process = try PeerProcess(try Peer.path(of: "peer-probe"), [], environment: environment)
        try ask("open", server, "\(Self.taps)")
    }

    /// The analysis of a counting signal at a port.
    struct Heard {
        var frames, silent, lost, repeated, garbled, breaks: Int
        /// The number of the first sample of the cycle in which the count was first received, and
        /// the time of that cycle.
        var first, last: Int
        var firstTime: UInt64
        var whole: Bool { frames > 0 }
    }

    @discardableResult
    private func ask(_ words: String..., seconds: Double = 10) throws -> [String] {
        do {
            try process.send(words)
            return try process.answer(to: words.joined(separator: " "), seconds: seconds)
        } catch {
            throw BenchmarkError("The probe's command '\(words.joined(separator: " "))' failed: \(error).")
        }
    }

    private func number(_ words: String...) throws -> Int? {
        do {
            try process.send(words)
            return try process.answer(to: words.joined(separator: " "), seconds: 10).first.flatMap { Int($0) }
        } catch {
            throw BenchmarkError("The probe's command '\(words.joined(separator: " "))' failed: \(error).")
        }
    }

    func outputs() throws -> [String] { try ask("outputs") }
    func inputs() throws -> [String] { try ask("inputs") }
    func listen(_ tap: Int, to port: String) throws { try ask("connect", port, "probe-taps:in_\(tap)") }
    func feed(_ port: String) throws { try ask("connect", "probe-source:out", port) }
    func setPeriod(_ frames: Int) throws { try ask("period", "\(frames)") }

    /// Sleeps, so that what follows happens at any phase of a period.
    func pause(nanoseconds: Int) throws { try ask("pause", "\(nanoseconds)") }

    func arm(_ tap: Int) throws { try ask("arm", "\(tap)") }
    /// Returns the frame in which sound began since `arm`; nil after the timeout.
    func onset(_ tap: Int, milliseconds: Int) throws -> UInt32? {
        try number("onset", "\(tap)", "\(milliseconds)").map { UInt32(truncatingIfNeeded: $0) }
    }
    /// Returns the number of loud samples since `arm`.
    func loudFrames(_ tap: Int) throws -> Int { try number("loud", "\(tap)") ?? 0 }
    func awaitQuiet(_ tap: Int, frames: Int, milliseconds: Int) throws -> Bool {
        try number("quiet", "\(tap)", "\(frames)", "\(milliseconds)") == 1
    }
    func frame(at nanoseconds: UInt64) throws -> UInt32 {
        UInt32(truncatingIfNeeded: try number("frame", "\(nanoseconds)") ?? 0)
    }
    /// Sends an impulse to the ports connected with `feed`. Returns its frame.
    func sendImpulse(offset: Int) throws -> UInt32 {
        UInt32(truncatingIfNeeded: try number("impulse", "\(offset)") ?? 0)
    }

    func forgetCount(_ tap: Int) throws { try ask("count", "\(tap)") }
    func awaitCount(_ tap: Int, frames: Int, milliseconds: Int) throws -> Bool {
        try number("await", "\(tap)", "\(frames)", "\(milliseconds)") == 1
    }
    func heard(_ tap: Int) throws -> Heard {
        let values = try ask("heard", "\(tap)").map { Int($0) ?? 0 }
        guard values.count == 9 else { throw BenchmarkError("The probe returned \(values.count) of 9 values.") }
        return Heard(
            frames: values[0], silent: values[1], lost: values[2], repeated: values[3], garbled: values[4],
            breaks: values[5], first: values[6], last: values[7], firstTime: UInt64(values[8]))
    }

    func end() { _ = process.quit(seconds: 1) }
}
