import DesktopBridge
import DesktopEvents
import SessionPolicy
import TestRandom
import Testing

/// Random orders of events, replies and losses.
@Suite("desktop event walks")
struct ReporterWalkTests {
    @Test("No call is left, and nothing gets stuck", arguments: 0..<20)
    func walk(number: Int) {
        var random = SeededGenerator(seed: TestSeed.ofCase(UInt64(number)))
        for _ in 0..<50 {
            let fixture = ReporterFixture(isSettled: Bool.random(using: &random))
            var desktop = Desktop()
            for _ in 0..<Int.random(in: 1...40, using: &random) { step(fixture, &desktop, &random) }
            fixture.settle()
            while fixture.request != nil || !fixture.timers.isEmpty {
                fixture.answerAll()
                fixture.endTimer()
            }
            #expect(fixture.reporter.sessions.count == fixture.sessions.count)
            check(fixture, desktop)
            fixture.stop()
            fixture.answerAll()
            #expect(fixture.isFinished && fixture.sessions.isEmpty && fixture.marks == DesktopMarks())
        }
    }

    /// What the desktop has reported last.
    private struct Desktop {
        var isSleeping = false
        var calls: [DesktopCall: DesktopCall.State] = [:]
        var locks: [String: Bool] = [:]
        var disturbances: [String: Bool] = [:]
    }

    private func step(
        _ fixture: ReporterFixture, _ desktop: inout Desktop, _ random: inout SeededGenerator
    ) {
        let flag: Bool? = [true, false, nil].randomElement(using: &random) ?? nil
        let source = ["a", "b"].randomElement(using: &random) ?? "a"
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1:
            desktop.isSleeping = flag ?? false
            fixture.report(.sleeping(desktop.isSleeping))
        case 2:
            desktop.locks[source] = flag
            fixture.report(.lock(source: source, flag))
        case 3:
            desktop.disturbances[source] = flag
            fixture.report(.doNotDisturb(source: source, flag))
        case 4, 5, 6:
            let call = ReporterFixture.call(Int.random(in: 0..<3, using: &random))
            let states: [DesktopCall.State?] = [.incoming, .dialing, .active, .held, nil, nil]
            let state = states.randomElement(using: &random) ?? nil
            // A call that was answered does not ring again.
            guard state != .incoming || [nil, .incoming].contains(desktop.calls[call]) else { return }
            desktop.calls[call] = state
            fixture.report(.call(call, state))
        case 7: fixture.answer()
        case 8:
            if Bool.random(using: &random) { fixture.fail() } else { fixture.endTimer() }
        default:
            fixture.restartArbiter(losing: fixture.sessions.filter { _ in Bool.random(using: &random) })
        }
    }

    private func check(_ fixture: ReporterFixture, _ desktop: Desktop) {
        let states = fixture.states
        #expect(states.filter { $0.hasPrefix("sleep") }.count == (desktop.isSleeping ? 1 : 0))
        #expect(states.filter { $0.hasPrefix("call") }.count == desktop.calls.count)
        if desktop.isSleeping {
            #expect(!fixture.holdsInhibitor && !states.contains("call active") && !states.contains("call rings"))
        } else {
            let ringing = desktop.calls.values.count { $0 == .incoming }
            let accepted = desktop.calls.count - ringing
            #expect(states.count { $0 == "call rings" || $0 == "call deferred" } == ringing)
            #expect(states.count { $0 == "call active" } == min(1, accepted))
        }
        let (locked, quiet) = (desktop.locks.values.contains(true), desktop.disturbances.values.contains(true))
        #expect(fixture.marks == DesktopMarks(isScreenLocked: locked, isDoNotDisturbOn: quiet))
    }
}
