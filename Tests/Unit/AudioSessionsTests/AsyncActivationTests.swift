import AudioRendering
import AudioSessions
import Dispatch
import SessionArbiter
import TestSupport
import Testing

/// A driver whose `open` blocks until `letGo` is called, like a slow server.
private final class SlowDriver: ProxyDriver<OfflineDriver>, @unchecked Sendable {
    private let gate = DispatchSemaphore(value: 0)
    let reached = EventLog<Int>()

    init() { super.init(OfflineDriver(channels: 1)) }

    func letGo() { gate.signal() }

    override func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        reached.note(1)
        gate.wait()
        defer { gate.signal() }
        return try inner.open(core: core)
    }
}

/// `activate` and `deactivate`, awaited and with completion handlers.
@Suite(.timeLimit(.minutes(2))) struct AsyncActivationTests {
    @Test("ACT-1, ACT-5, ACT-7: awaited activation and deactivation have the effects and the errors of setActive")
    func awaited() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let interrupter = try stage.session(.playback)
        #expect(try await session.activate())
        #expect(session.isActive)
        #expect(try await interrupter.activate())
        #expect(session.state.activity == .interrupted)
        #expect(try await interrupter.deactivate(options: .notifyOthersOnDeactivation))
        #expect(!interrupter.isActive && session.state.activity == .inactive)
        try stage.host.ring()
        let refusal = await #expect(throws: AudioSessionError.self) { try await session.activate() }
        #expect(refusal?.errorCode == .insufficientPriority && refusal?.rule == "ACT-5")
        #expect(!session.isActive)
    }

    @Test("Completion handlers receive success or the error, in the order of the calls")
    func handlers() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let notified = EventLog<String>()
        session.activate { notified.note("activated \($0) \($1 == nil)") }
        session.deactivate(options: .notifyOthersOnDeactivation) { notified.note("deactivated \($0) \($1 == nil)") }
        session.activate(options: []) { notified.note("activated \($0) \($1 == nil)") }
        session.settle()
        try stage.host.ring()
        session.activate { notified.note("refused \($0) \(($1 as? AudioSessionError)?.rule ?? "-")") }
        // A handler may block on further requests of the session.
        session.deactivate { [session] _, _ in
            try? session.whileActive { notified.note("unreachable while it rings") }
            notified.note("waited")
        }
        #expect(notified.wait { $0.last == "waited" })
        #expect(
            notified.noted == [
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

    @Test("A server that does not respond blocks no thread of Swift's cooperative pool")
    func poolIsFree() async throws {
        let driver = SlowDriver()
        let host = AudioSessionHost(driver: driver)
        // More sessions than the pool has threads.
        let sessions = try (0..<24).map { _ in
            let session = try AudioSession(host: host)
            try session.setCategory(.playback, options: .mixWithOthers)
            return session
        }
        await withThrowingTaskGroup(of: Void.self) { group in
            for session in sessions { group.addTask { _ = try await session.activate() } }
            // Runs only if the pool has a free thread.
            group.addTask {
                await withTaskGroup(of: Void.self) { others in
                    for _ in 0..<24 { others.addTask { await Task.yield() } }
                }
                driver.letGo()
            }
        }
        #expect(sessions.allSatisfy { $0.isActive })
    }

    @Test("A task that is cancelled before its turn throws and has no effect; after that it completes")
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
        #expect(try await first.value, "it had already started")
        #expect(session.isActive)

        let leaving = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.deactivate()
        }
        #expect(try await leaving.value, "deactivation is not cancelled")
        #expect(!session.isActive)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await session.activate()
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(!session.isActive)
    }
}
