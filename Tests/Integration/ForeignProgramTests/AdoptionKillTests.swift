import Foundation
import TestRandom
import TestSupport
import Testing

/// Whatever is killed while a program is lowered or held, it is free when it should be.
@Suite("foreign programs: kills with adoption", .serialized)
struct AdoptionKillTests {
    private enum Victim: CaseIterable { case adoption, controller, arbiter, both }

    @Test("Kills while a program is held by a call or lowered by a prompt")
    func kills() throws {
        var random = SeededGenerator(seed: TestSeed.current)
        for round in 0..<TestLength.times(10, long: 200) {
            let victim = Victim.allCases[round % Victim.allCases.count]
            let isCall = round / Victim.allCases.count % 2 == 0
            let stage = try AdoptionStage()
            let program = try stage.desktop.play(role: "Game")
            defer { program.send(SIGKILL) }
            let recording = try stage.desktop.record()
            try #require(recording.waitsForUnity())
            try #require(try stage.shows("pw-cat", "running"))
            let prompt = isCall ? nil : try stage.prompt()
            defer { prompt?.send(SIGKILL) }
            if isCall { try stage.audiosession("call", "ring") }
            if Bool.random(using: &random) {
                try #require(isCall ? recording.waitsForSilence() : recording.waits { $0.gain < 0.2 })
            } else {
                poll(nil, 0, Int32.random(in: 0..<150, using: &random))
            }
            let comment = "round \(round): \(victim) in a \(isCall ? "call" : "prompt"), seed \(TestSeed.current)"
            try kill(victim, stage, recording, isCall: isCall, comment)
            if isCall { try stage.audiosession("call", "decline") } else { prompt?.send(SIGTERM) }
            try #require(recording.waitsForUnity(), "\(comment): \(stage.adoptionOutput)")
        }
    }

    /// Kills a process. Those that live on, or are started again, silence the program as before.
    private func kill(
        _ victim: Victim, _ stage: AdoptionStage, _ recording: PositionRecording, isCall: Bool, _ comment: String
    ) throws {
        switch victim {
        case .adoption:
            stage.endAdoption(SIGKILL)
            try #require(recording.waitsForUnity(), "\(comment): freed by the controller")
            try stage.restartAdoption()
        case .controller: try stage.killController()
        case .both:
            try stage.killController()
            stage.endAdoption(SIGKILL)
            try stage.restartAdoption()
        case .arbiter:
            stage.killArbiter()
            try stage.restartArbiter()
        }
        // A game that begins again during a call waits for its end.
        if isCall {
            try #require(recording.waitsForSilence(), "\(comment): held again; \(stage.adoptionOutput)")
        } else if victim != .arbiter {
            try #require(recording.waits { $0.gain < 0.2 }, "\(comment): lowered again")
        }
    }

    @Test("Without an arbiter that can be started, all programs are freed, and adoption exits with 69")
    func arbiterGone() throws {
        let stage = try AdoptionStage(startsArbiter: false)
        let program = try stage.desktop.play(role: "Game")
        defer { program.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try stage.audiosession("call", "ring")
        try #require(recording.waitsForSilence())
        stage.killArbiter()
        #expect(stage.adoptionStatus() == 69)
        #expect(recording.waitsForUnity())
        #expect(stage.adoptionOutput.contains("audiosessiond has ended"))
    }

    @Test("A signal ends adoption: players that it has paused play again, and streams are free")
    func signal() throws {
        let stage = try AdoptionStage()
        let player = try stage.desktop.mpv()
        defer { player.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try #require(try stage.shows("mpv", "running"))
        try stage.audiosession("call", "ring")
        try #require(try eventually { try stage.playerStatus() == "Paused" })
        #expect(stage.endAdoption(SIGTERM) == 0)
        #expect(try eventually { try stage.playerStatus() == "Playing" })
        #expect(recording.waitsForUnity(), "\(stage.adoptionOutput)")
    }
}
