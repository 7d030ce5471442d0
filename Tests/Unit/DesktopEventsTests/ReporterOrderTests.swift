import DesktopBridge
import DesktopEvents
import SessionPolicy
import Testing

/// In which order and how often requests are sent, and what is repeated.
@Suite("order of desktop events")
struct ReporterOrderTests {
    private let call = ReporterFixture.call(1)
    private let other = ReporterFixture.call(2)

    @Test("GUIDE-9: a call that exists at the start does not ring while do-not-disturb is on")
    func doNotDisturbFirst() {
        let fixture = ReporterFixture(isSettled: false)
        fixture.start()
        fixture.report(all: .call(call, .incoming))
        #expect(fixture.sent.isEmpty, "the switches are not known")
        fixture.report(all: .doNotDisturb(source: "a", true))
        fixture.settle()
        fixture.answerAll()
        #expect(fixture.sent == [.setDoNotDisturb(true), .begin(.call, isRinging: true)])
        #expect(fixture.states == ["call deferred"])
    }

    @Test("A call rings although a service does not say whether do-not-disturb is on")
    func boundedWait() {
        let fixture = ReporterFixture(isSettled: false)
        fixture.start()
        fixture.report(all: .call(call, .incoming), .call(other, .active))
        #expect(fixture.states == ["call active"], "a call that was accepted does not wait")
        #expect(fixture.timers.map(\.seconds) == [2])
        fixture.endTimer()
        fixture.answerAll()
        #expect(fixture.states == ["call active", "call rings"])
    }

    @Test("Sleep begins before do-not-disturb, and that before calls")
    func sleepFirst() {
        let fixture = ReporterFixture()
        fixture.report(.lock(source: "a", true))
        fixture.report(.call(call, .incoming))
        fixture.report(.doNotDisturb(source: "a", true))
        fixture.report(.sleeping(true))
        fixture.answerAll()
        #expect(
            fixture.sent == [
                .setScreenLocked(true), .begin(.sleep, isRinging: false), .setDoNotDisturb(true),
                .begin(.call, isRinging: true),
            ])
    }

    @Test("Sleep does not wait for a pause after a failure, whose timer then ends nothing")
    func sleepEndsPause() {
        let fixture = ReporterFixture()
        fixture.report(.lock(source: "a", true))
        fixture.fail()
        fixture.endTimer()
        fixture.fail()
        #expect(fixture.request == nil && fixture.timers.map(\.seconds) == [2])
        fixture.report(.sleeping(true))
        #expect(fixture.request == .begin(.sleep, isRinging: false))
        fixture.fail()
        #expect(fixture.timers.last?.seconds == 1)
        fixture.endTimer()
        #expect(fixture.request == nil, "the timer of an earlier pause")
    }

    @Test("A beginning that is refused is not repeated until its cause changes")
    func refusal() {
        let fixture = ReporterFixture()
        fixture.report(.call(call, .incoming))
        fixture.refuse()
        #expect(fixture.request == nil && fixture.timers.isEmpty)
        fixture.report(all: .lock(source: "a", true), .call(other, .incoming))
        #expect(fixture.states == ["call rings"], "others are reported")
        fixture.report(all: .call(call, .active))
        #expect(fixture.states == ["call rings", "call active"])
        fixture.report(.sleeping(true))
        fixture.refuse()
        fixture.report(all: .sleeping(true))
        #expect(fixture.request == nil)
        fixture.report(all: .sleeping(false), .sleeping(true))
        #expect(fixture.states.last == "sleep active")
    }

    @Test("A switch that changes all the time is reported twice a second, with its last state")
    func flood() {
        let fixture = ReporterFixture()
        for number in 0..<100 {
            fixture.report(all: .doNotDisturb(source: "a", number % 2 == 0), .lock(source: "a", number % 2 == 0))
        }
        #expect(fixture.sent == [.setDoNotDisturb(true), .setScreenLocked(true)])
        #expect(fixture.timers.map(\.seconds) == [0.5, 0.5])
        fixture.endSwitchPauses()
        fixture.answerAll()
        #expect(fixture.sent.suffix(2) == [.setDoNotDisturb(false), .setScreenLocked(false)])
    }

    @Test(
        "A call from before a sleep ends without a recommendation to resume, as the sleep does",
        arguments: [false, true])
    func callFromBeforeSleep(resumes: Bool) throws {
        let fixture = ReporterFixture(resumesAfterSleep: resumes)
        fixture.report(all: .call(call, .active), .sleeping(true), .sleeping(false))
        let session = try #require(fixture.sessions.first)
        fixture.report(all: .call(other, .active), .call(call, nil))
        #expect(fixture.sent.last == .end(session, shouldResume: resumes))
        let later = try #require(fixture.sessions.first)
        fixture.report(all: .call(other, nil))
        #expect(fixture.sent.last == .end(later, shouldResume: true))
    }
}
