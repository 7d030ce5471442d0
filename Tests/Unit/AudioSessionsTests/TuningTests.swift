import AudioSessions
import Testing

@Suite("Tuning an I/O buffer: the rules")
struct TuningTests {
    @Test("No xruns: halved after each hold, down to the shortest allowed period, and settled there")
    func clean() {
        var model = TuningModel()
        model.run(seconds: 60)
        #expect(model.asked == [512, 256, 128, 64, 32, 16])
        #expect(model.settlement == .shortest && model.facts.periodFrames == 16 && model.heard == 0)
        let shortened = model.steps.filter { if case .shortened = $0.kind { true } else { false } }
        #expect(shortened.map(\.periodFrames) == [512, 256, 128, 64, 32, 16])
        for (earlier, later) in zip(shortened, shortened.dropFirst()) {
            #expect(
                later.seconds - earlier.seconds >= 5 && later.seconds - earlier.seconds < 5.4, "the hold, and a grace")
        }
        // Six halvings, each with the hold and a grace time of 0.1 s or 8 periods.
        #expect((model.steps.last?.seconds ?? 0) < 37)
    }

    @Test(
        "HW-2: a server that has xruns below a period settles at that period, after exactly two audible xruns",
        arguments: [32, 64, 128, 256, 512])
    func limit(shortest: Int) {
        var model = TuningModel()
        model.overload(below: shortest)
        model.run(seconds: 600)
        #expect(model.facts.periodFrames == shortest && model.settlement == .shorterHasXruns)
        #expect(model.heard == 2, "one may be an accident")
        #expect(model.asked.filter { $0 < shortest } == [shortest / 2, shortest / 2])
        // No further requests, however long it runs.
        let (asked, looks) = (model.asked, model.looks)
        model.run(seconds: 3_600)
        #expect(model.asked == asked && model.looks - looks <= 721, "it runs at most once per hold")
    }

    @Test("A single accidental xrun does not rule out a period", arguments: [0.5, 3, 6, 11.3, 24, 33])
    func accident(at seconds: Double) {
        var model = TuningModel()
        model.addXrun(after: seconds)
        model.run(seconds: 90)
        #expect(model.heard == 1 && model.facts.periodFrames == 16 && model.settlement == .shortest)
    }

    @Test("Xruns that a change of the period may have caused do not count")
    func grace() {
        var model = TuningModel()
        // Three xruns with every change, within the 16 ms after it.
        model.gives = { asked, _ in asked }
        var last = 0
        var left = 0
        model.nextXrun = { period, _ in
            if period != last { (last, left) = (period, 3) }
            guard left > 0 else { return nil }
            left -= 1
            return 250
        }
        model.run(seconds: 60)
        #expect(model.heard == 0 && model.facts.periodFrames == 16)
        #expect((model.steps.last?.xruns ?? 0) >= 18, "the counter includes them")
    }

    @Test("A server that reports no xruns: rendering that takes longer than real time counts as well")
    func late() {
        var model = TuningModel()
        model.slowness = { $0 < 128 ? 128 / Double($0) : 1.000_3 }
        model.run(seconds: 600)
        #expect(model.facts.periodFrames == 128 && model.settlement == .shorterHasXruns)
        #expect(model.kinds.filter { $0 == .late }.count == 2 && model.heard == 0)
        // It is also detected later.
        model.slowness = { $0 < 256 ? 1.1 : 1 }
        model.run(seconds: 60)
        #expect(model.facts.periodFrames == 256)
    }

    @Test("After it has settled, more load lengthens the buffer again")
    func laterLoad() {
        var model = TuningModel()
        model.run(seconds: 60)
        model.overload(below: 64)
        model.run(seconds: 60)
        #expect(model.facts.periodFrames == 64 && model.settlement == .shorterHasXruns)
        #expect(model.heard <= 2 * 2, "two for each period that is too short")
        model.nextXrun = { _, _ in nil }
        model.run(seconds: 7_200)
        #expect(model.facts.periodFrames == 64, "it does not retry on its own")
        model.tuning.restart()
        model.run(seconds: 60)
        #expect(model.facts.periodFrames == 16, "a restart retries it")
    }

    @Test(
        "Xruns are forgotten after a long clean time: an accident per hour lengthens nothing permanently"
    )
    func trust() {
        var model = TuningModel(.init(periods: 64...4_096))
        for hour in 1...24 { model.addXrun(after: Double(hour) * 3_600) }
        model.run(seconds: 25 * 3_600)
        #expect(model.heard == 24 && model.facts.periodFrames == 64)
        // Two within the trust time count.
        model.addXrun(after: 60)
        model.addXrun(after: 120)
        model.run(seconds: 3_600)
        #expect(model.facts.periodFrames == 128 && model.settlement == .shorterHasXruns)
    }

    @Test("Overload at the longest period is reported if it persists, without further requests")
    func overloaded() {
        var model = TuningModel(.init(periods: 16...2_048))
        model.overload(below: 8_192)
        model.run(seconds: 60)
        #expect(model.asked == [2_048])
        #expect(model.kinds.contains(.settled(.longest)) && model.facts.periodFrames == 2_048)
    }

    @Test("HW-1: a server that keeps its period is asked once, and tuning settles at that period")
    func refusing() {
        var model = TuningModel()
        model.gives = { _, present in present }
        model.run(seconds: 600)
        #expect(model.asked == [512])
        #expect(model.kinds == [.began, .refused(asked: 512), .settled(.serverKeepsIt)])
        // Nor does it help to request a longer period when that is needed.
        model.overload(below: 8_192)
        model.run(seconds: 60)
        #expect(model.asked == [512, 2_048])
    }

    @Test("HW-2: a server that rounds down to powers of two; the actual period counts")
    func rounding() {
        var model = TuningModel(periodFrames: 960)
        model.gives = { asked, _ in 1 << (Int.bitWidth - 1 - asked.leadingZeroBitCount) }
        model.overload(below: 64)
        model.run(seconds: 120)
        #expect(model.asked == [480, 128, 64, 32, 64, 32, 64] && model.facts.periodFrames == 64)
        #expect(model.settlement == .shorterHasXruns)
    }

    @Test("A server that applies a request late, as PipeWire may")
    func lateAnswer() {
        var model = TuningModel(.init(periods: 256...4_096))
        model.gives = { _, present in present }
        // The server answers 0.2 s after the first request, which counts as its answer, and 0.4 s
        // after the second, which at first does not.
        model.add(after: 5.4) { $0.facts.periodFrames = 512 }
        model.add(after: 11.3) { $0.facts.periodFrames = 256 }
        model.run(seconds: 30)
        #expect(
            model.kinds == [
                .began, .shortened(from: 1_024), .refused(asked: 256),
                .shortened(from: 512), .settled(.shortest),
            ])
    }

    @Test("HW-2: xruns before a longer period is applied late count against the shorter period only")
    func lateLongerPeriod() {
        var model = TuningModel(.init(periods: 64...4_096), periodFrames: 128)
        model.overload(below: 128)
        var isLate = true
        model.gives = { asked, present in isLate && asked > present ? present : asked }
        // The server applies the first request for a longer period only after a second xrun.
        for _ in 0..<1_000 where model.heard < 2 { model.run(seconds: 0.06) }
        #expect(model.facts.periodFrames == 64 && model.kinds.contains(.refused(asked: 128)))
        isLate = false
        model.facts.periodFrames = 128
        // One xrun with 128 frames is no reason to settle at a longer period.
        model.run(seconds: 3)
        model.addXrun(after: 0)
        model.run(seconds: 60)
        #expect(model.facts.periodFrames == 128 && model.settlement == .shorterHasXruns)
        #expect(model.asked.filter { $0 == 64 }.count == 1, "two xruns count against 64 frames")
    }

    @Test("HW-2: a longer period that is applied after the xruns before it were forgotten has its two tries")
    func lateAfterTrust() {
        var model = TuningModel(.init(periods: 64...4_096), periodFrames: 128)
        model.overload(below: 128)
        var isLate = true
        model.gives = { asked, present in isLate && asked > present ? present : asked }
        for _ in 0..<1_000 where model.heard < 2 { model.run(seconds: 0.06) }
        model.nextXrun = { _, _ in nil }
        model.run(seconds: 700)
        isLate = false
        model.facts.periodFrames = 128
        model.overload(below: 256)
        model.run(seconds: 60)
        #expect(model.facts.periodFrames == 256 && model.heard == 4)
    }

    @Test("HW-2: a shorter period of another session is accepted, and tuning continues from there")
    func othersShorter() {
        var model = TuningModel()
        model.overload(below: 64)
        model.add(after: 7) { $0.facts.periodFrames = 128 }
        model.run(seconds: 120)
        #expect(model.kinds.contains(.changedByOthers(from: 512)))
        #expect(model.facts.periodFrames == 64 && model.settlement == .shorterHasXruns)
    }

    @Test("HW-2: a period longer than requested was set explicitly: it is kept, and lengthened if it has xruns")
    func othersLonger() {
        var model = TuningModel()
        model.add(after: 12) { $0.facts.periodFrames = 2_048 }
        model.run(seconds: 120)
        #expect(model.asked == [512, 256] && model.facts.periodFrames == 2_048 && model.settlement == .setByOthers)
        model.overload(below: 4_096)
        model.run(seconds: 60)
        #expect(model.facts.periodFrames == 4_096)
    }

    @Test("HW-2: another session's shorter period applies despite xruns; when it leaves, the tuned period applies")
    func othersRequest() {
        var model = TuningModel(.init(periods: 128...4_096), periodFrames: 256)
        model.run(seconds: 20)
        #expect(model.facts.periodFrames == 128)
        model.gives = { asked, present in min(asked, present) }
        model.facts.periodFrames = 64
        model.overload(below: 128)
        model.run(seconds: 20)
        #expect(model.facts.periodFrames == 64 && model.kinds.contains(.refused(asked: 128)))
        model.facts.periodFrames = 128
        model.run(seconds: 20)
        #expect(model.facts.periodFrames == 128 && model.kinds.suffix(2).first == .lengthened(from: 64))
    }

    @Test("ACT-9: while the session is inactive the server uses its own period; this counts as no change")
    func inactive() {
        var model = TuningModel(.init(periods: 256...4_096))
        model.run(seconds: 20)
        #expect(model.facts.periodFrames == 256)
        model.pause()
        model.facts.periodFrames = 1_024
        model.facts.xruns += 50
        model.facts.frame += 480_000
        _ = model.look()
        #expect(model.kinds.suffix(2) == [.paused, .resumed])
        model.facts.periodFrames = 256
        model.run(seconds: 20)
        #expect(model.asked == [512, 256], "the session applied its preferred value again")
        #expect(model.heard == 0 && model.settlement == .shortest)
    }

    @Test("SRV-2, HW-3: another server or another rate discards the results")
    func newGround() {
        var model = TuningModel()
        model.overload(below: 128)
        model.run(seconds: 120)
        #expect(model.facts.periodFrames == 128)
        model.facts.sampleRate = 96_000
        model.facts.frame += 1
        model.overload(below: 32)
        model.run(seconds: 120)
        #expect(model.facts.periodFrames == 32 && model.kinds.filter { $0 == .began }.count == 2)
        model.facts.server = "another"
        model.facts.periodFrames = 512
        model.run(seconds: 120)
        #expect(model.facts.periodFrames == 32 && model.kinds.filter { $0 == .began }.count == 3)
    }

    @Test("A period outside the limits is corrected: a longer one at once, a shorter one when it has xruns")
    func beyond() {
        var model = TuningModel(.init(periods: 64...512), periodFrames: 4_096)
        model.run(seconds: 0.8)
        #expect(model.asked == [512])
        model = TuningModel(.init(periods: 64...512), periodFrames: 8)
        model.run(seconds: 60)
        #expect(model.asked.isEmpty && model.settlement == .shortest)
        model.overload(below: 32)
        model.run(seconds: 60)
        #expect(model.asked == [64] && model.facts.periodFrames == 64)
    }

    @Test("A driver that restarts its counters, or xruns during a pause, do not count as an xrun")
    func counters() {
        var model = TuningModel(.init(periods: 512...4_096))
        model.run(seconds: 20)
        model.pause()
        model.facts.xruns = 2
        model.run(seconds: 20)
        #expect(model.heard == 0 && model.steps.last.map { $0.xruns >= 0 } == true)
    }

    @Test("HW-4: invalid configurations are refused with a message")
    func configurations() throws {
        let session = try AudioSession(host: HostFixture().host)
        let bad: [(IOBufferTuner.Configuration, String)] = [
            (.init(periods: 0...512), "0 to 512 frames"), (.init(periods: 16...8_193), "16 to 8193 frames"),
            (.init(hold: .milliseconds(99)), "a hold of 0.099"), (.init(hold: .seconds(4_000)), "a hold of 4000"),
            (.init(tries: 0), "0 tries"), (.init(tries: 101), "101 tries"),
            (.init(trust: .seconds(4)), "a trust of 4"), (.init(trust: .seconds(90_000)), "a trust of 90000"),
        ]
        for (configuration, words) in bad {
            let error = #expect(throws: AudioSessionError.self) {
                try IOBufferTuner(session: session, configuration: configuration)
            }
            #expect(error?.errorCode == .badParam && error?.message.contains(words) == true, "\(error as Any)")
        }
        _ = try IOBufferTuner(
            session: session, configuration: .init(periods: 1...8_192, hold: .milliseconds(100), tries: 100))
    }
}
