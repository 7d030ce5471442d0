import AudioRendering
import AudioSessions
import SessionArbiter
import TestSupport
import Testing

/// `whileActive`, in both shapes.
@Suite(.timeLimit(.minutes(2))) struct ScopeTests {
    private struct Broken: Error {}

    @Test("ACT-8: active within, and afterwards others may resume; also when the body throws")
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

    @Test("ACT-5: refused, the body does not run")
    func refused() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try stage.host.ring()
        #expect(throws: AudioSessionError.self) {
            try session.whileActive { Issue.record("it ran") }
        }
        await #expect(throws: AudioSessionError.self) {
            try await session.whileActive { () async in Issue.record("it ran") }
        }
        try stage.host.declineCall()
        try session.whileActive { #expect(session.isActive) }
        #expect(!session.isActive, "a refused scope does not count")
    }

    @Test("INT-4: a scope that was interrupted gives its wait up at its end, and is not activated again")
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
        #expect(listener.heard.noted.map { $0[AudioSessionInterruptionTypeKey] as? UInt } == [1], "no end is told")
    }

    @Test("Awaited: deactivates when the body returns, throws or is cancelled")
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
                // Ends when the task is cancelled.
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

    @MainActor @Test("The awaited body runs where its caller does")
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

    @Test("Scopes that overlap on many threads leave the session inactive, and active within each")
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
