import AudioRendering
@testable import AudioSessions
import Dispatch
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// The parts of a session, each without the others.
@Suite struct SessionPartTests {
    @Test("ACT-13: a refusal lasts as long as the state in which it occurred, and does not return with it")
    func refusals() {
        let log = RefusalLog()
        let (quiet, playing) = (state(), state { $0.isRunning = true })
        #expect(log.current(in: quiet) == nil)
        let error = AudioSessionError(.insufficientPriority, rule: "ACT-5", "A call has priority.")
        log.record(error, in: quiet)
        #expect(log.current(in: quiet)?.error === error && log.current(in: quiet)?.by == nil)
        #expect(log.current(in: playing) == nil)
        #expect(log.current(in: quiet) == nil, "it is not restored along with the state")
    }

    @Test("INT-11: each start and end of activity is reported once; a limit's cause replaces only the app's")
    func activity() {
        let events = SessionEvents()
        #expect(events.recordInactive(.app) == nil, "it was not active")
        #expect(events.recordActive() && !events.recordActive())
        events.setPendingCause(.idle)
        #expect(events.recordInactive(.app) == .idle && events.recordInactive(.app) == nil)
        #expect(events.recordActive())
        #expect(events.recordInactive(.app) == .app, "the cause was for one end only")
        #expect(events.recordActive())
        events.setPendingCause(.duckLimit)
        #expect(events.recordInactive(.suspension) == .suspension)
    }

    @Test("ACT-11: every listener receives what it selects, in order, until it leaves")
    func listeners() async throws {
        var events: SessionEvents? = SessionEvents()
        let stream = events?.stream { if case .outputVolumeChanged(let volume) = $0.event { volume } else { nil } }
        let volumes = try #require(stream)
        let calls = EventLog<Int>()
        let leave = events?.observe { calls.note(1) }
        events?.yield(.outputVolumeChanged(0.5))
        events?.yield(.hardwareChanged)
        leave?()
        events?.yield(.outputVolumeChanged(0.25))
        events = nil
        var received: [Float] = []
        for await volume in volumes { received.append(volume) }
        #expect(received == [0.5, 0.25] && calls.noted.count == 2)
    }

    @Test("HINT-1: participants are reported when the first one starts and the last one stops, and then observed")
    func participants() throws {
        let session = try HostFixture().session(.playback)
        let changes = EventLog<Bool>()
        session.participants.whenRunningChanges { changes.note(session.registered.status?.session.isRunning ?? false) }
        let (one, other) = (Participant(session), Participant(session))
        for (participant, isRunning) in [(one, true), (other, true), (one, false), (other, false)] {
            participant.run(isRunning)
        }
        #expect(changes.noted == [true, false])
    }

    @Test("An input whose last reference is released while another one stops reports that without a deadlock")
    func releasedInput() throws {
        let fixture = HostFixture()
        let session = try fixture.session(.playAndRecord)
        // For the arbiter no input runs: a notice that arrived later would stop both.
        try fixture.drain()
        let first = FakeInput(session)
        let second = Mutex<FakeInput?>(FakeInput(session))
        second.withLock { $0?.markStarted() }
        first.onQuery.withLock { $0 = { _ = second.withLock { $0.take() } } }
        first.markStarted()
        let hasStopped = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            session.inputs.stop(first)
            hasStopped.signal()
        }
        #expect(hasStopped.wait(timeout: .now() + 30) == .success)
        #expect(second.withLock { $0 == nil })
    }

    private func state(_ change: (inout SessionState) -> Void = { _ in }) -> SessionState {
        var state = SessionState(id: SessionID(1), app: AppID(1))
        change(&state)
        return state
    }
}

/// An input without frames.
private final class FakeInput: SessionInput {
    private let session: AudioSession
    private let running = Mutex(false)
    /// Called once, at the next query whether the input runs.
    let onQuery = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ session: AudioSession) {
        self.session = session
        session.attach(self)
    }

    deinit { if markStopped() { session.inputs.reportReleased() } }

    var isRunning: Bool {
        onQuery.withLock { $0.take() }?()
        return running.withLock { $0 }
    }
    func markStarted() { running.withLock { $0 = true } }
    func markStopped() -> Bool {
        running.withLock { isRunning in
            defer { isRunning = false }
            return isRunning
        }
    }
    func applyGain(_ gain: Float) {}
    func sessionWasInterrupted() {}
    func sessionOutputWasDisconnected(isGone: Bool) {}
    func sessionInterruptionEnded(shouldResume: Bool) {}
    func sessionDidDeactivate() {}
}
