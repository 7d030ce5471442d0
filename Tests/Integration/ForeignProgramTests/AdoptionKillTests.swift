import Foundation
import TestRandom
import TestSupport
import Testing

/// Whatever is killed while a program is lowered or held, it is free when it should be.
@Suite("foreign programs: kills with adoption", .serialized)
struct AdoptionKillTests {
    enum Victim: CaseIterable { case adoption, controller, both, arbiter, pipeWire, sessionManager, bus }

    /// What the program is in when the process is killed.
    private enum State: CaseIterable { case ducked, held, ramping }

    /// One round: a program, and what lowers or holds it.
    private struct Round {
        let isCall: Bool
        let prompt: ChildProcess?
        let comment: String
        var recording: PositionRecording
        var program: ChildProcess

        var gain: Float { isCall ? 0 : 0.199_526_23 }

        /// Whether the program is as lowered or held as without the kill.
        func isSilenced() -> Bool { recording.waits { [gain] in abs($0.gain - gain) < 1e-5 } }
    }

    @Test("Kills while a program is held by a call, lowered by a prompt, or in a ramp", arguments: Victim.allCases)
    func kills(victim: Victim) throws {
        var random = SeededGenerator(seed: TestSeed.current)
        for number in 0..<TestLength.times(3, long: 30) {
            let state = State.allCases[number % State.allCases.count]
            let stage = try AdoptionStage()
            var round = try begin(
                state, stage, "\(victim), \(state), round \(number), seed \(TestSeed.current)", &random)
            defer {
                round.prompt?.send(SIGKILL)
                round.program.send(SIGKILL)
            }
            try kill(victim, stage, &round)
            if round.isCall { try stage.audiosession("call", "decline") } else { round.prompt?.send(SIGTERM) }
            try #require(
                try isFree(stage, round, isRecorded: victim != .sessionManager),
                "\(round.comment): \(stage.adoptionOutput)")
        }
    }

    /// Starts a program, and brings it into a state.
    private func begin(
        _ state: State, _ stage: AdoptionStage, _ comment: String, _ random: inout SeededGenerator
    ) throws -> Round {
        let program = try stage.desktop.play(role: "Game")
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try #require(try stage.shows("pw-cat", "running"))
        let isCall = state == .held || state == .ramping && Bool.random(using: &random)
        let round = Round(
            isCall: isCall, prompt: isCall ? nil : try stage.prompt(), comment: comment, recording: recording,
            program: program)
        if isCall { try stage.audiosession("call", "ring") }
        if state == .ramping {
            // The grant precedes the ramp by some milliseconds, and the recording is behind it.
            if !isCall { try #require(eventually { recording.frames(last: 1_024).contains { $0.gain != 1 } }) }
            poll(nil, 0, Int32.random(in: 0..<80, using: &random))
        } else {
            try #require(round.isSilenced(), "\(comment)")
        }
        return round
    }

    /// Kills a process. Those that live on, or are started again, silence the program as before.
    private func kill(_ victim: Victim, _ stage: AdoptionStage, _ round: inout Round) throws {
        switch victim {
        case .adoption:
            stage.endAdoption(SIGKILL)
            try #require(round.recording.waitsForUnity(), "\(round.comment): freed by the controller")
            try stage.restartAdoption()
        case .controller: try stage.killController()
        case .both:
            try stage.killController()
            stage.endAdoption(SIGKILL)
            try stage.restartAdoption()
        case .arbiter: try stage.replaceArbiter()
        // A prompt of a connection that was lost is activated again by its program.
        case .pipeWire:
            // The program ends with it, and its user starts it again.
            stage.desktop.killPipeWire()
            round.program.send(SIGKILL)
            round.program.reap()
            try stage.desktop.restartPipeWire()
            round.recording = try stage.desktop.record()
            round.program = try stage.desktop.play(role: "Game")
        case .sessionManager:
            stage.desktop.killSessionManager()
            try stage.desktop.startSessionManager()
            let gain = round.gain
            try #require(
                try eventually {
                    let volumes = try stage.desktop.volumes("softVolumes", node: "pw-play")
                    return !volumes.isEmpty && volumes.allSatisfy { abs($0 - gain) < 1e-5 }
                }, "\(round.comment): \(stage.adoptionOutput)")
            return
        case .bus: stage.desktop.killBus()
        }
        // What was recorded before the kill proves nothing.
        guard try stage.shows("pw-cat") else {
            let status = try stage.audiosession("status")
            throw TestFailure("\(round.comment): not adopted: \(status)\(stage.adoptionOutput)")
        }
        try #require(round.recording.waits(frames: 24_000), "\(round.comment): nothing is recorded")
        try #require(round.isSilenced(), "\(round.comment): silenced again; \(stage.adoptionOutput)")
    }

    /// Whether the program is free in the end: without a soft volume, at unity, and running, and
    /// WirePlumber has stored no other volume.
    /// WirePlumber 0.4, restarted, links no stream that played before it: nothing is recorded then.
    private func isFree(_ stage: AdoptionStage, _ round: Round, isRecorded: Bool) throws -> Bool {
        let journal = stage.desktop.folder.file("audiosession/streams.journal")
        return try eventually {
            try stage.desktop.volumes("softVolumes", node: "pw-play") == [1, 1]
                && !FileManager.default.fileExists(atPath: journal)
        } && (!isRecorded || round.recording.waitsForUnity()) && stage.desktop.storedVolumes.isEmpty
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

    @Test("A player that was paused when adoption was killed plays again with the next one", arguments: [true, false])
    func playerLeftPaused(endsMeanwhile: Bool) throws {
        let stage = try AdoptionStage()
        let player = try stage.desktop.mpv()
        defer { player.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try #require(try stage.shows("mpv", "running"))
        try stage.audiosession("call", "ring")
        try #require(try eventually { try stage.playerStatus() == "Paused" })
        stage.endAdoption(SIGKILL)
        if endsMeanwhile { try stage.audiosession("call", "decline") }
        try stage.restartAdoption()
        if !endsMeanwhile {
            try #require(recording.waits(frames: 72_000))
            #expect(try stage.playerStatus() == "Paused")
            try stage.audiosession("call", "decline")
        }
        #expect(try eventually { try stage.playerStatus() == "Playing" })
        #expect(recording.waitsForUnity(), "\(stage.adoptionOutput)")
        let journal = stage.desktop.folder.file("audiosession/players.journal")
        #expect(eventually { !FileManager.default.fileExists(atPath: journal) })
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
