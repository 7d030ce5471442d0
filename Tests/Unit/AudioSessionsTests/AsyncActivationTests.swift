import AudioRendering
import AudioSessions
import Dispatch
import SessionArbiter
import TestSupport
import Testing

/// A driver whose `open` waits until it is let go, as a slow server would.
private final class SlowDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    private let gate = DispatchSemaphore(value: 0)
    let reached = Signpost<Int>()

    init() { super.init(OfflineDriver(channels: 1)) }

    func letGo() { gate.signal() }

    override func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        reached.note(1)
        gate.wait()
        defer { gate.signal() }
        return try inner.open(core: core)
    }
}

/// `activate` and `deactivate`, awaited and with handlers.
@Suite(.timeLimit(.minutes(2))) struct AsyncActivationTests {
    @Test("ACT-1, ACT-5, ACT-7: awaited activation and deactivation do what setActive does, and throw what it throws")
    func awaited() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let rival = try stage.session(.playback)
        #expect(try await session.activate())
        #expect(session.isActive)
        #expect(try await rival.activate())
        #expect(session.state.activity == .interrupted)
        #expect(try await rival.deactivate(options: .notifyOthersOnDeactivation))
        #expect(!rival.isActive && session.state.activity == .inactive)
        try stage.host.ring()
        let refusal = await #expect(throws: AudioSessionError.self) { try await session.activate() }
        #expect(refusal?.errorCode == .insufficientPriority && refusal?.rule == "ACT-5")
        #expect(!session.isActive)
    }

    @Test("Handlers are told success or the error, in the order of the calls")
    func handlers() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let told = Signpost<String>()
        session.activate { told.note("activated \($0) \($1 == nil)") }
        session.deactivate(options: .notifyOthersOnDeactivation) { told.note("deactivated \($0) \($1 == nil)") }
        session.activate(options: []) { told.note("activated \($0) \($1 == nil)") }
        session.settle()
        try stage.host.ring()
        session.activate { told.note("refused \($0) \(($1 as? AudioSessionError)?.rule ?? "-")") }
        // A handler may wait for further turns.
        session.deactivate { [session] _, _ in
            try? session.whileActive { told.note("unreachable while it rings") }
            told.note("waited")
        }
        #expect(told.wait { $0.last == "waited" })
        #expect(
            told.noted == [
                "activated true true", "deactivated true true", "activated true true", "refused false ACT-5", "waited",
            ])
    }

    @Test("ACT-11: calls of one session take effect in the order in which they were made")
    func order() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        var changes = session.activityChanges.makeAsyncIterator()
        for _ in 0..<50 {
            session.activate { _, _ in }
            session.deactivate { _, _ in }
        }
        session.settle()
        for _ in 0..<50 {
            #expect(await changes.next() == .becameActive)
            #expect(await changes.next() == .becameInactive(.app))
        }
        #expect(!session.isActive)
    }

    @Test("A server that does not answer blocks no thread of Swift's pool")
    func poolIsFree() async throws {
        let driver = SlowDriver()
        let host = AudioSessionHost(driver: driver)
        // More than the pool has threads.
        let sessions = try (0..<24).map { _ in
            let session = try AudioSession(host: host)
            try session.setCategory(.playback, options: .mixWithOthers)
            return session
        }
        await withThrowingTaskGroup(of: Void.self) { group in
            for session in sessions { group.addTask { _ = try await session.activate() } }
            // Runs on the pool, or never.
            group.addTask {
                await withTaskGroup(of: Void.self) { others in
                    for _ in 0..<24 { others.addTask { await Task.yield() } }
                }
                driver.letGo()
            }
        }
        #expect(sessions.allSatisfy { $0.isActive })
    }

    @Test("A task cancelled before its turn throws and has done nothing; in its turn it is carried out")
    func cancellation() async throws {
        let driver = SlowDriver()
        let host = AudioSessionHost(driver: driver)
        let session = try AudioSession(host: host)
        let first = Task { try await session.activate() }
        #expect(await driver.reached.arrives { $0.count == 1 })
        let second = Task { try await session.activate() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(!session.isActive)
        first.cancel()
        driver.letGo()
        #expect(try await first.value, "it had begun")
        #expect(session.isActive)

        let leaving = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.deactivate()
        }
        #expect(try await leaving.value, "giving way is not cancelled")
        #expect(!session.isActive)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.activate()
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(!session.isActive)
    }
}
