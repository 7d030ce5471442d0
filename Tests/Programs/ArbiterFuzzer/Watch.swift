import ArbiterTesting
import Foundation

/// Runs the worker and watches its progress.
struct Watch {
    private let options: FuzzerOptions
    private let folder: TrialFolder
    private let board: Board

    init(_ options: FuzzerOptions) throws {
        self.options = options
        folder = try TrialFolder()
        board = try Board(path: folder.path + "/board")
    }

    /// Returns what went wrong.
    func run() throws -> [String] {
        var arguments = [
            "--board", folder.path + "/board", "--seed", "\(options.seed)", "--messages", "\(options.messages)",
        ]
        if let fault = options.fault { arguments += ["--injected", fault.rawValue] }
        // No backtrace is needed: the board holds the packet.
        let worker = try Program(
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), arguments,
            environment: ["SWIFT_BACKTRACE": "enable=no"])
        var hang: String?
        var seen: [UInt64?] = []
        while true {
            do {
                guard let line = try worker.readLine(within: options.patience) else { break }
                print(line)
                seen = []  // the next part counts its packets from 0 again
            } catch {
                let now = (0..<Board.parts).map { board.read($0)?.number }
                guard now == seen else {
                    seen = now
                    continue
                }
                hang = "The worker hangs: no new packet for \(options.patience) s."
                worker.send(SIGKILL)
                break
            }
        }
        let status = try worker.waitForEnd()
        guard hang != nil || status != 0 else { return [] }
        let cause =
            hang
            ?? (status > 128 ? "Signal \(status - 128) ended the worker." : "The worker ended with status \(status).")
        return [cause]
            + (0..<Board.parts).compactMap { part in
                board.read(part).map { number, packet in
                    "seed \(options.seed), part \(part), last packet \(number): \(String(decoding: packet, as: UTF8.self))"
                }
            }
    }
}
