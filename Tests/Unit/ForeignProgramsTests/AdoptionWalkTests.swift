import ArbiterService
import DesktopBridge
import SessionArbiter
import SessionPolicy
import TestRandom
import Testing

@testable import ForeignPrograms

/// Programs, players, calls and other sessions that come and go at random.
@Suite struct AdoptionWalkTests {
    private static let processes: ClosedRange<Int32> = 100...105

    /// What the test itself has begun and not ended.
    private struct World {
        var streams: [UInt64: Int32] = [:]
        var sessions: [SessionID] = []
        var calls: [SessionID] = []
    }

    @Test("Whatever happens, each stream sounds as its session is granted, and nothing stays altered")
    func walk() throws {
        var generator = SeededGenerator(seed: TestSeed.current)
        for _ in 0..<30 {
            let fixture = AdoptionFixture()
            // Some have a parent whose player owns their streams, once it has appeared.
            for process in Self.processes {
                fixture.run(process, "/usr/bin/program-\(process)", childOf: process % 3 == 0 ? process - 2 : 1)
            }
            var world = World()
            for step in 0..<150 {
                try change(&world, fixture, &generator)
                try #require(fault(fixture) == nil, "step \(step) with SEED=\(TestSeed.current)")
            }
            try endAll(&world, fixture)
        }
    }

    private func change(
        _ world: inout World, _ fixture: AdoptionFixture, _ generator: inout SeededGenerator
    ) throws {
        let process = Int32.random(in: Self.processes, using: &generator)
        let id = UInt64.random(in: 1...10, using: &generator)
        let isLikely = Bool.random(using: &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...2:
            let owner = world.streams[id] ?? process
            world.streams[id] = owner
            let roles: [String?] = [nil, nil, "Music", "Game", "Notification", "Navigation"]
            fixture.stream(id, of: owner, role: roles[Int(owner) % roles.count], isRunning: isLikely)
        case 3:
            if world.streams.removeValue(forKey: id) != nil { fixture.endStream(id) }
        case 4...5:
            let statuses: [ForeignPlayer.Status] = [.playing, .playing, .paused, .stopped]
            // Odd processes have no player.
            guard process % 2 == 0, let status = statuses.randomElement(using: &generator) else { return }
            fixture.player("player-\(process)", of: process, status, canPause: process != 104)
        case 6:
            if isLikely { fixture.endPlayer("player-\(process)") }
        case 7:
            let options: [CategoryOptions] = [.duckOthers, .mixWithOthers, []]
            guard let option = options.randomElement(using: &generator) else { return }
            // In a call, some are refused.
            if let session = try? fixture.activate(.playback, .default, option) { world.sessions.append(session) }
            fixture.settle()
        case 8:
            guard !world.sessions.isEmpty else { return }
            let session = world.sessions.remove(at: Int.random(in: 0..<world.sessions.count, using: &generator))
            try fixture.deactivate(session, notifyOthers: isLikely)
        case 9:
            if world.calls.isEmpty { world.calls.append(try fixture.ring()) }
        case 10:
            if let call = world.calls.popLast() { try fixture.end(call, shouldResume: isLikely) }
        default:
            fixture.passTime()
            if isLikely {
                fixture.tools.states = [:]
                fixture.adopter.controllerLost()
                let streams = fixture.adopter.programs.values.flatMap(\.streams.values)
                // Of the same PipeWire, or of another one.
                fixture.adopter.handle(.ready(version: 1, cookie: .random(in: 1...3, using: &generator)))
                for stream in streams { fixture.adopter.handle(.stream(stream)) }
                fixture.adopter.handle(.synced)
                fixture.settle()
            }
        }
    }

    /// Returns a stream that does not sound as the session of its program is granted, or a player
    /// that plays although it should be paused.
    private func fault(_ fixture: AdoptionFixture) -> String? {
        for program in fixture.adopter.programs.values {
            guard let id = program.session, let session = fixture.tools.status(of: id),
                let grant = fixture.tools.grant(of: id), let kind = program.sessionKind
            else {
                if program.outputs.allSatisfy({ fixture.sound($0.id.rawValue) == .full }) { continue }
                return "without a session: \(describe(program, fixture))"
            }
            let isWaiting = session.wait != nil || (program.awaitsActivation && !session.isActive)
            let expected: AdoptionFixture.Sound =
                switch (isWaiting, program.hold?.step) {
                case (true, .released): .silent
                case (true, _): kind.mayBeHeld ? .held : .silent
                case (false, _): grant.isMuted ? .silent : grant.attenuation > 0 ? .lowered(grant.attenuation) : .full
                }
            for stream in program.outputs where fixture.sound(stream.id.rawValue) != expected {
                return
                    "\(fixture.sound(stream.id.rawValue)) instead of \(expected): \(describe(program, fixture)), \(session.activity), \(grant)"
            }
            let canStillPause = program.players.values.contains {
                $0.status == .playing && $0.canPause && program.hold?.requests[$0.id] ?? 0 < Adopter.requestLimit
            }
            if isWaiting, kind.mayBeHeld, canStillPause {
                return "plays: \(describe(program, fixture)), \(session.activity)"
            }
        }
        return nil
    }

    private func describe(_ program: ForeignProgram, _ fixture: AdoptionFixture) -> String {
        let streams = program.outputs.map { "\($0.id.rawValue)\($0.isRunning ? "" : " idle")" }
        let players = program.players.values.map { "\($0.id) \($0.status)" }
        let commands = program.outputs.compactMap { fixture.tools.states[$0.id]?.line }
        return """
            \(program.key) \(program.classification?.kind.rawValue ?? "ignored"), \(String(describing: program.hold)), \
            awaits \(program.awaitsActivation), streams \(streams), players \(players), commands \(commands)
            """
    }

    /// Everything that the test began ends: then every stream is free, and no session is left.
    private func endAll(_ world: inout World, _ fixture: AdoptionFixture) throws {
        for call in world.calls { try fixture.end(call) }
        for session in world.sessions { try fixture.deactivate(session) }
        try #require(fault(fixture) == nil, "SEED=\(TestSeed.current)")
        for id in world.streams.keys.sorted() { fixture.endStream(id) }
        for process in Self.processes { fixture.endPlayer("player-\(process)") }
        #expect(fixture.adopter.programs.isEmpty)
        #expect(!fixture.adopter.hasAltered)
        #expect(fixture.tools.sessions.allSatisfy { fixture.arbiter.status(of: $0) == nil })
    }
}
