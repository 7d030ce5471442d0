import ArbiterTesting
import Foundation

/// Does the work: feeds packets to the decoders on two threads, then to a complete service.
struct Worker {
    private let options: FuzzerOptions
    private let board: Board

    init(_ options: FuzzerOptions) throws {
        self.options = options
        board = try Board(path: options.board ?? "")
    }

    func run() throws {
        let forService = options.messages / 10
        let forDecoders = options.messages - forService
        let clock = ContinuousClock()
        var begun = clock.now
        try decode(forDecoders)
        say("decoders: \(forDecoders) packets in \(clock.now - begun)")
        let board = board
        for isTrusted in [false, true] {
            begun = clock.now
            let trial = ServiceTrial(seed: options.seed, isTrusted: isTrusted) { board.note(2, $0, $1) }
            let report = try trial.runAlone(Int(forService) / 2)
            say("service, \(isTrusted ? "trusted" : "untrusted") clients: \(report) in \(clock.now - begun)")
        }
    }

    private func decode(_ count: UInt64) throws {
        let threads = try (0..<2).map { part in
            let board = board
            let trial = try DecoderTrial(seed: options.seed, fault: options.fault) { board.note(part, $0, $1) }
            return TrialThread { try trial.run(UInt64(part)..<count, every: 2) }
        }
        for thread in threads { try thread.wait() }
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
