import Foundation
import TestRandom
import TestSupport
import Testing

/// Programs that come and go at random, with calls and prompts: for some seconds, or an hour.
@Suite("foreign programs: soak", .serialized)
struct AdoptionSoakTests {
    private enum Kind: CaseIterable { case game, music, movie, notification, plain, pulse, player }

    /// The desktop, and what plays on it.
    private final class Crowd {
        let stage: AdoptionStage
        var programs: [(kind: Kind, process: ChildProcess)] = []
        var suspended: ChildProcess?
        var prompt: ChildProcess?
        var isCall = false
        var random = SeededGenerator(seed: TestSeed.current)
        /// The last actions, for a failure's message.
        var actions: [String] = []

        init() throws { stage = try AdoptionStage(pulse: true) }

        deinit {
            for process in programs.map(\.process) + [suspended, prompt].compactMap(\.self) { Self.end(process) }
        }

        private static func end(_ process: ChildProcess) {
            process.send(SIGCONT)
            process.send(SIGKILL)
            process.reap()
        }

        func act() throws {
            switch random.below(10) {
            case 0..<4: try start()
            case 4, 5: end()
            case 6: try toggleCall()
            case 7: try togglePrompt()
            case 8: suspend()
            default: poll(nil, 0, Int32.random(in: 0..<500, using: &random))
            }
            poll(nil, 0, Int32.random(in: 0..<200, using: &random))
        }

        private func start() throws {
            guard programs.count < 5 else { return end() }
            let kind = Kind.allCases[random.below(Kind.allCases.count)]
            actions.append("start \(kind)")
            let desktop = stage.desktop
            let process =
                switch kind {
                case .game: try desktop.play(role: "Game")
                case .music: try desktop.play(role: "Music")
                case .movie: try desktop.play(role: "Movie")
                case .notification: try desktop.play(role: "Notification")
                case .plain: try desktop.play(role: "Other")
                case .pulse: try desktop.play(.pulse)
                case .player: try desktop.mpv()
                }
            programs.append((kind, process))
        }

        private func end() {
            guard !programs.isEmpty else { return }
            let (kind, process) = programs.remove(at: random.below(programs.count))
            actions.append("end \(kind)")
            if suspended === process { suspended = nil }
            if Bool.random(using: &random) {
                process.send(SIGCONT)
                process.send(SIGTERM)
                _ = process.waitForEnd(seconds: 5)
            }
            Self.end(process)
        }

        func toggleCall() throws {
            actions.append(isCall ? "decline" : "ring")
            try stage.audiosession("call", isCall ? "decline" : "ring")
            isCall.toggle()
        }

        func togglePrompt() throws {
            actions.append(prompt == nil ? "prompt" : "end of prompt")
            if let prompt {
                prompt.send(SIGTERM)
                prompt.reap()
            }
            prompt = prompt == nil ? try stage.prompt() : nil
        }

        func suspend() {
            actions.append(suspended == nil ? "SIGSTOP" : "SIGCONT")
            if let suspended {
                suspended.send(SIGCONT)
                self.suspended = nil
            } else if let process = programs.last?.process {
                process.send(SIGSTOP)
                suspended = process
            }
        }

        /// Ends everything but one program, which is then free, and that one too.
        func settle() throws {
            if suspended != nil { suspend() }
            if isCall { try toggleCall() }
            if prompt != nil { try togglePrompt() }
            while programs.count > 1 { end() }
            let comment = "\(actions.suffix(40)), seed \(TestSeed.current)"
            if let last = programs.first {
                let recording = try stage.desktop.record()
                if last.kind == .player {
                    try #require(try eventually { try stage.playerStatus() == "Playing" }, "\(comment)")
                }
                guard recording.waitsForUnity() else {
                    let frames = recording.frames(from: max(0, recording.count - 10))
                    throw TestFailure(
                        """
                        \(last.kind) after \(comment): \(recording.count) frames, gains \(frames.map(\.gain)); \
                        \(try stage.audiosession("status", "--verbose")); \(stage.adoptionOutput)
                        """)
                }
            }
            while !programs.isEmpty { end() }
            try #require(
                try eventually { try !stage.audiosession("status").contains("adopted") },
                "\(comment)")
            let journal = stage.desktop.folder.file("audiosession/streams.journal")
            try #require(eventually { !FileManager.default.fileExists(atPath: journal) }, "\(comment)")
            #expect(stage.desktop.storedVolumes == [], "\(comment)")
        }
    }

    @Test("Programs come and go at random: none stays lowered or held, memory and descriptors do not grow")
    func soak() throws {
        let crowd = try Crowd()
        let seconds = ProcessInfo.processInfo.environment["AUDIO_TEST_SOAK_SECONDS"].flatMap { Int($0) } ?? 15
        let end = ContinuousClock.now + .seconds(seconds)
        var before: [pid_t: ResourceSnapshot] = [:]
        let processes = try crowd.stage.processes()
        var rounds = 0
        repeat {
            for _ in 0..<12 { try crowd.act() }
            try crowd.settle()
            rounds += 1
            // The first rounds bring caches to their size.
            if rounds == 3 { before = try snapshots(processes) }
        } while ContinuousClock.now < end || rounds < 4
        #expect(try crowd.stage.processes() == processes, "none has crashed: \(crowd.stage.adoptionOutput)")
        for (process, after) in try snapshots(processes) {
            let before = try #require(before[process])
            #expect(after.descriptors == before.descriptors, "\(process) after \(rounds) rounds")
            let (first, last) = (before.residentKiB, after.residentKiB)
            #expect(last < first + first / 4 + 4_096, "\(process) after \(rounds) rounds: \(first) to \(last) KiB")
        }
    }

    /// The processes, of which the first is the arbiter.
    private func snapshots(_ processes: [pid_t]) throws -> [pid_t: ResourceSnapshot] {
        // The arbiter closes the connection of a command some time after its end: it then watches
        // only the process of audiosession-adopt.
        let arbiter = try #require(processes.first)
        #expect(try eventually { try ResourceSnapshot(of: arbiter).descriptors["anon_inode:[pidfd]"] == 1 })
        return try Dictionary(uniqueKeysWithValues: processes.map { ($0, try ResourceSnapshot(of: $0)) })
    }
}
