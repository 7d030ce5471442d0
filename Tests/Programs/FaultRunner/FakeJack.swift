import Glibc
import TestSupport

/// The fake libjack that the loader chose for this process: runs actions and reads counts.
struct FakeJack: Sendable {
    private typealias Begin = @convention(c) (UnsafePointer<CChar>) -> Int32
    private typealias Report = @convention(c) (UnsafeMutablePointer<CChar>, Int) -> Int

    private let beginning: Begin
    private let doing: Begin
    private let reporting: Report

    init() throws {
        func find<Function>(_ name: String, as type: Function.Type) throws -> Function {
            guard let symbol = dlsym(nil, name) else {
                throw TestFailure(
                    "This process has loaded a real libjack. Set LD_LIBRARY_PATH to the folder of the fake (Tests/Support/FakeJack/build)."
                )
            }
            return unsafeBitCast(symbol, to: type)
        }
        beginning = try find("fake_jack_begin", as: Begin.self)
        doing = try find("fake_jack_do", as: Begin.self)
        reporting = try find("fake_jack_report", as: Report.self)
    }

    /// Resets the fake and begins a script. Throws if the script is invalid or if clients or calls
    /// of the last one remain.
    func begin(_ script: [String]) throws {
        let result = beginning(script.joined(separator: "\n"))
        guard result == 0 else {
            let reason =
                result < 0 ? "clients or calls of the last script remain" : "'\(script[Int(result) - 1])' is invalid"
            throw TestFailure("The fake libjack refused the script: \(reason).")
        }
    }

    /// Runs an action on the server now.
    func act(_ action: String) {
        precondition(doing(action) == 0, "the fake libjack does not know the action '\(action)'")
    }

    /// The fake's counts, by name.
    var counts: [String: Int] {
        Dictionary(
            report.compactMap { line in
                let words = line.split(separator: " ")
                guard words.count == 2, let number = Int(words[1]) else { return nil }
                return (String(words[0]), number)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The app's first misuse of libjack.
    var misuse: String? { report.first { $0.hasPrefix("# ") }.map { String($0.dropFirst(2)) } }

    private var report: [Substring] {
        var text = [CChar](repeating: 0, count: 16_384)
        let length = reporting(&text, text.count)
        let bytes = text.prefix(min(max(0, length), text.count - 1)).map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }
}
