import AudioRendering
import AudioSessions
import SessionArbiter
import TestSupport
import Testing

/// `whileActive`, synchronous and asynchronous.
@Suite(.timeLimit(.minutes(2))) struct ScopeTests {
    private struct Broken: Error {}

    @Test("ACT-8: the session is active within the scope; after it others may resume, even if the body throws")
    func scope() throws {
        let stage = HostFixture()
        let music = try stage.session(.playback)
        let prompt = try stage.session(.playback)
        let listener = NotificationRecorder(AudioSession.interruptionNotification, of: music)
        try music.setActive(true)
        let answer = try prompt.whileActive {
            #expect(prompt.isActive && music.state.activity == .interrupted)
            return 42
        }
        #expect(answer == 42 && !prompt.isActive)
        try music.setActive(true)
        #expect(throws: Broken.self) { try prompt.whileActive { throw Broken() } }
        #expect(!prompt.isActive)
        try stage.drain()
        #expect(listener.heard.noted.map { $0[AudioSessionInterruptionOptionKey] as? UInt } == [nil, 1, nil, 1])
    }

    @Test("Scopes nest: the last to end deactivates, unless the session was active before the first")
    func nesting() throws {
        let session = try HostFixture().session(.playback)
        try session.whileActive {
            try session.whileActive { #expect(session.isActive) }
            #expect(session.isActive)
        }
        #expect(!session.isActive)
        try session.setActive(true)
        try session.whileActive {}
        #expect(session.isActive)
    }

    @Test("ACT-5: if activation is refused, the body does not run")
    func refused() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try stage.host.ring()
        #expect(throws: AudioSessionError.self) {
            try session.whileActive { Issue.record("the body ran") }
        }
        await #expect(throws: AudioSessionError.self) {
            try await session.whileActive { () async in Issue.record("the body ran") }
        }
        try stage.host.declineCall()
        try session.whileActive { #expect(session.isActive) }
        #expect(!session.isActive, "a refused scope does not count")
    }

    @Test("INT-4: an interrupted scope stops waiting when it ends, and is not activated again")
    func interrupted() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let listener = NotificationRecorder(AudioSession.interruptionNotification, of: session)
        try session.whileActive {
            try stage.host.ring()
            #expect(!session.isActive)
        }
        try stage.host.declineCall()
        try stage.drain()
        #expect(session.state.activity == .inactive)
        #expect(listener.heard.noted.map { $0[AudioSessionInterruptionTypeKey] as? UInt } == [1], "no end is reported")
    }

    @Test("An awaited scope deactivates when the body returns, throws or is cancelled")
    func awaited() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let answer = try await session.whileActive { () async in
            await Task.yield()
            return session.isActive
        }
        #expect(answer && !session.isActive)
        await #expect(throws: Broken.self) {
            try await session.whileActive { () async throws in throw Broken() }
        }
        #expect(!session.isActive)

        let (started, begin) = AsyncStream<Void>.makeStream()
        let (never, hold) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await session.whileActive { () async throws in
                begin.yield()
                // Returns when the task is cancelled.
                for await _ in never {}
                try Task.checkCancellation()
            }
        }
        for await _ in started { break }
        #expect(session.isActive)
        task.cancel()
        _ = await task.result
        #expect(!session.isActive)
        hold.finish()
    }

    @MainActor @Test("The awaited body runs on its caller's actor")
    func isolation() async throws {
        let session = try HostFixture().session(.playback)
        var count = 0
        try await session.whileActive {
            MainActor.assertIsolated()
            count += 1
            await Task.yield()
        }
        #expect(count == 1)
    }

    @Test("With overlapping scopes on many threads, the session is active within each, and inactive afterwards")
    func overlapping() async throws {
        let session = try HostFixture().session(.playback)
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    try await session.whileActive { () async in
                        #expect(session.isActive)
                        await Task.yield()
                        #expect(session.isActive)
                    }
                }
            }
        }
        #expect(!session.isActive)
    }
}
