import Foundation
import Processes

/// `peer-probe`: two bare JACK clients that hear the peers and are heard by them. It must work; where it does not, nothing is measured.
struct PeerProbe {
    private let process: PeerProcess
    static let ears = 16

    init(server: String, environment: [String: String]) throws {
        process = try PeerProcess(try Peer.path(of: "peer-probe"), [], environment: environment)
        try ask("open", server, "\(Self.ears)")
    }

    /// What a port hears of the count.
    struct Heard {
        var frames, silent, lost, repeated, garbled, breaks: Int
        /// The number of the first sample of the cycle in which the count was first heard, and when that was.
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
            throw BenchmarkError("The probe failed at '\(words.joined(separator: " "))': \(error).")
        }
    }

    private func number(_ words: String...) throws -> Int? {
        do {
            try process.send(words)
            return try process.answer(to: words.joined(separator: " "), seconds: 10).first.flatMap { Int($0) }
        } catch {
            throw BenchmarkError("The probe failed at '\(words.joined(separator: " "))': \(error).")
        }
    }

    func outputs() throws -> [String] { try ask("outputs") }
    func inputs() throws -> [String] { try ask("inputs") }
    func listen(_ ear: Int, to port: String) throws { try ask("connect", port, "probe-ears:in_\(ear)") }
    func feed(_ port: String) throws { try ask("connect", "probe-source:out", port) }
    func setPeriod(_ frames: Int) throws { try ask("period", "\(frames)") }

    /// No wait for anything: so that what comes then comes at any time within a period.
    func pause(nanoseconds: Int) throws { try ask("pause", "\(nanoseconds)") }

    func arm(_ ear: Int) throws { try ask("arm", "\(ear)") }
    /// The frame in which sound began since `arm`; nil: it did not, by then.
    func onset(_ ear: Int, milliseconds: Int) throws -> UInt32? {
        try number("onset", "\(ear)", "\(milliseconds)").map { UInt32(truncatingIfNeeded: $0) }
    }
    /// Samples since `arm` that were loud.
    func loudFrames(_ ear: Int) throws -> Int { try number("loud", "\(ear)") ?? 0 }
    func awaitQuiet(_ ear: Int, frames: Int, milliseconds: Int) throws -> Bool {
        try number("quiet", "\(ear)", "\(frames)", "\(milliseconds)") == 1
    }
    func frame(at nanoseconds: UInt64) throws -> UInt32 {
        UInt32(truncatingIfNeeded: try number("frame", "\(nanoseconds)") ?? 0)
    }
    /// Sends an impulse to whom `feed` named; in which frame.
    func sendImpulse(offset: Int) throws -> UInt32 {
        UInt32(truncatingIfNeeded: try number("impulse", "\(offset)") ?? 0)
    }

    func forgetCount(_ ear: Int) throws { try ask("count", "\(ear)") }
    func awaitCount(_ ear: Int, frames: Int, milliseconds: Int) throws -> Bool {
        try number("await", "\(ear)", "\(frames)", "\(milliseconds)") == 1
    }
    func heard(_ ear: Int) throws -> Heard {
        let values = try ask("heard", "\(ear)").map { Int($0) ?? 0 }
        guard values.count == 9 else { throw BenchmarkError("The probe tells \(values.count) values of 9.") }
        return Heard(
            frames: values[0], silent: values[1], lost: values[2], repeated: values[3], garbled: values[4],
            breaks: values[5], first: values[6], last: values[7], firstTime: UInt64(values[8]))
    }

    func end() { _ = process.quit(seconds: 1) }
}
