import DesktopBridge
import DesktopEvents
import SessionArbiter
import SessionPolicy
import Testing

/// What is requested of the arbiter for each event of the desktop.
@Suite("desktop events")
struct ReporterTests {
    private let call = ReporterFixture.call(1)
    private let other = ReporterFixture.call(2)

    // MARK: Sleep

    @Test("Sleep begins before the inhibitor is released, and ends without a recommendation to resume")
    func beforeSleep() throws {
        let fixture = ReporterFixture()
        fixture.report(.sleeping(false))
        #expect(fixture.holdsInhibitor && fixture.request == nil)
        fixture.report(.sleeping(true))
        #expect(fixture.request == .begin(.sleep, isRinging: false) && fixture.holdsInhibitor)
        #expect(fixture.timers.map(\.seconds) == [DesktopReporter.inhibitorLimit])
        fixture.answer()
        #expect(fixture.states == ["sleep active"] && fixture.holdsInhibitor)
        let fade = try #require(fixture.timers.last)
        #expect(fade.seconds > 0.1 && fade.seconds < DesktopReporter.inhibitorLimit)
        fixture.endTimer()
        #expect(!fixture.holdsInhibitor)

        fixture.report(.sleeping(false))
        #expect(fixture.holdsInhibitor)
        let session = try #require(fixture.sessions.first)
        #expect(fixture.request == .end(session, shouldResume: false))
        fixture.answer()
        #expect(fixture.states.isEmpty)
    }

    @Test("The machine sleeps although the arbiter does not reply; a late reply ends at once")
    func sleepWithoutArbiter() {
        let fixture = ReporterFixture(resumesAfterSleep: true)
        fixture.report(.sleeping(false))
        fixture.report(.sleeping(true))
        fixture.endTimer()
        #expect(!fixture.holdsInhibitor)
        fixture.report(.sleeping(false))
        #expect(fixture.holdsInhibitor)
        fixture.answer()
        #expect(fixture.request.map { if case .end(_, shouldResume: true) = $0 { true } else { false } } == true)
        fixture.answer()
        #expect(fixture.states.isEmpty)
        // The timers of the sleep that is over release nothing.
        while !fixture.timers.isEmpty { fixture.endTimer() }
        #expect(fixture.holdsInhibitor)
    }

    @Test("A machine that wakes before the arbiter was asked is not reported")
    func shortSleep() {
        let fixture = ReporterFixture()
        fixture.report(.call(call, .incoming))
        fixture.report(.sleeping(true))
        fixture.report(.sleeping(false))
        fixture.answerAll()
        #expect(fixture.sent == [.begin(.call, isRinging: true)])
    }

    @Test("A call that ends while the machine sleeps does not start the music")
    func callEndsInSleep() throws {
        let fixture = ReporterFixture()
        let music = try fixture.arbiter.register(app: AppID(1)) { _ in }.id
        try fixture.arbiter.submit(.configure(music, .category(.playback)))
        try fixture.arbiter.submit(.activate(music))
        fixture.report(all: .call(call, .active), .sleeping(true))
        #expect(fixture.states == ["call waits", "sleep active"])
        fixture.report(.call(call, nil))
        fixture.report(.sleeping(false))
        fixture.answerAll()
        fixture.arbiter.drain()
        let effects = fixture.arbiter.decisions.flatMap { decision -> [Effect] in
            if case .granted(let effects) = decision.outcome { effects } else { [] }
        }
        let ends = effects.filter { $0.session == music }.compactMap { effect -> Bool? in
            if case .interruptionEnded(let resumes) = effect.kind { resumes } else { nil }
        }
        #expect(ends == [false])
    }

    // MARK: Calls

    @Test("A call rings, is accepted and ends")
    func ringing() {
        let fixture = ReporterFixture()
        fixture.report(all: .call(call, .incoming))
        #expect(fixture.states == ["call rings"])
        fixture.report(all: .call(call, .active))
        #expect(fixture.states == ["call active"])
        fixture.report(all: .call(call, .held))
        #expect(fixture.states == ["call active"], "a held call is still a call")
        fixture.report(all: .call(call, nil))
        #expect(fixture.states.isEmpty)
    }

    @Test("A call that is dialed does not ring, and one that is declined ends")
    func dialing() {
        let fixture = ReporterFixture()
        fixture.report(all: .call(call, .dialing), .call(call, .active), .call(other, .incoming))
        #expect(fixture.sent == [.begin(.call, isRinging: false), .begin(.call, isRinging: true)])
        #expect(fixture.states == ["call active", "call rings"])
        fixture.report(all: .call(other, nil))
        #expect(fixture.states == ["call active"])
    }

    @Test("The user changes between two calls")
    func swap() {
        let fixture = ReporterFixture()
        fixture.report(all: .call(call, .active), .call(other, .incoming), .call(call, .held), .call(other, .active))
        #expect(fixture.states == ["call waits", "call active"])
        fixture.report(all: .call(other, .held), .call(call, .active))
        #expect(fixture.states == ["call active", "call waits"])
        fixture.report(all: .call(call, nil))
        #expect(fixture.states == ["call active"])
        fixture.report(all: .call(other, .active), .call(other, nil))
        #expect(fixture.states.isEmpty)
    }

    @Test("Of calls that exist at the start, the active one is heard")
    func existingCalls() {
        let fixture = ReporterFixture(isSettled: false)
        fixture.report(.call(ReporterFixture.call(3), .incoming))
        fixture.report(.call(call, .active))
        fixture.report(.call(other, .held))
        fixture.settle()
        fixture.answerAll()
        #expect(fixture.states == ["call active", "call waits", "call rings"])
    }

    @Test("A call that ends before its session has begun is ended afterwards")
    func shortCall() {
        let fixture = ReporterFixture()
        fixture.report(.call(call, .incoming))
        fixture.report(.call(call, nil))
        fixture.answerAll()
        #expect(fixture.sent.count == 2 && fixture.states.isEmpty)
    }

    @Test("A service uses the path of a call again before the arbiter has replied")
    func reusedPath() {
        let fixture = ReporterFixture()
        fixture.report(all: .call(call, .active), .call(other, .active))
        fixture.report(.doNotDisturb(source: "a", true))
        fixture.report(.call(other, nil))
        fixture.report(.call(other, .incoming))
        fixture.report(.doNotDisturb(source: "a", false))
        fixture.answerAll()
        fixture.endSwitchPauses()
        fixture.answerAll()
        #expect(fixture.states == ["call active", "call rings"])
    }

    // MARK: Switches

    @Test("The screen is locked while one service says so")
    func lock() {
        let fixture = ReporterFixture()
        fixture.report(all: .lock(source: "a", false), .lock(source: "b", false))
        #expect(fixture.sent.isEmpty, "an unlocked screen is no change")
        fixture.report(all: .lock(source: "a", true), .lock(source: "b", true), .lock(source: "a", false))
        #expect(fixture.sent == [.setScreenLocked(true)])
        fixture.endSwitchPauses()
        fixture.report(all: .lock(source: "b", nil))
        #expect(fixture.sent == [.setScreenLocked(true), .setScreenLocked(false)])
    }

    @Test("What a killed process has set ends when the desktop says so, and not before it has said anything")
    func marks() {
        let previous = DesktopMarks(isScreenLocked: true, isDoNotDisturbOn: true)
        #expect(DesktopMarks(text: previous.text) == previous)
        let fixture = ReporterFixture(previous: previous, isSettled: false)
        fixture.report(all: .lock(source: "a", true), .doNotDisturb(source: "b", false))
        #expect(fixture.sent.isEmpty)
        fixture.settle()
        fixture.answerAll()
        #expect(fixture.sent == [.setDoNotDisturb(false)] && fixture.marks == DesktopMarks(isScreenLocked: true))
    }

    @Test("A mark is stored before the request, and a request without a reply is repeated")
    func unavailable() {
        let fixture = ReporterFixture()
        fixture.report(.doNotDisturb(source: "a", true))
        #expect(fixture.marks == DesktopMarks(isDoNotDisturbOn: true))
        fixture.fail()
        #expect(fixture.request == nil && fixture.timers.last?.timer == .retry(1))
        // It may have been carried out.
        fixture.report(.doNotDisturb(source: "a", false))
        fixture.endTimer()
        #expect(fixture.request == .setDoNotDisturb(false))
        fixture.answerAll()
        #expect(fixture.marks == DesktopMarks())
    }

    // MARK: The arbiter, the end

    @Test("Another arbiter learns everything")
    func arbiterReturns() {
        let fixture = ReporterFixture()
        fixture.report(all: .call(call, .active), .lock(source: "a", true), .doNotDisturb(source: "b", true))
        fixture.restartArbiter(losing: fixture.sessions)
        fixture.answerAll()
        #expect(
            fixture.sent.suffix(3) == [.setDoNotDisturb(true), .begin(.call, isRinging: false), .setScreenLocked(true)])
        #expect(fixture.states == ["call active"])
    }

    @Test("At its end, the program undoes what it has set, and nothing else")
    func stop() {
        let fixture = ReporterFixture()
        fixture.report(all: .call(call, .active), .lock(source: "a", true), .sleeping(false), .sleeping(true))
        fixture.stop()
        #expect(!fixture.isFinished && !fixture.holdsInhibitor)
        fixture.answerAll()
        #expect(fixture.isFinished && fixture.states.isEmpty && fixture.marks == DesktopMarks())
        #expect(!fixture.sent.contains(.setDoNotDisturb(false)) && fixture.sent.contains(.setScreenLocked(false)))
        fixture.report(.call(other, .active))
        #expect(fixture.request == nil)
    }

    @Test("The program ends although the arbiter does not reply")
    func stopWithoutArbiter() {
        let fixture = ReporterFixture()
        fixture.report(.call(call, .active))
        fixture.stop()
        fixture.fail()
        #expect(fixture.isFinished)
    }
}
