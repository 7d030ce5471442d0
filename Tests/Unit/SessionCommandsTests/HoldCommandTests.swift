import Foundation
import SessionPolicy
import TestSupport
import Testing

/// `audiosession duck` and `audiosession pause`, with an arbiter and apps of their own.
@Suite("audiosession: duck and pause", .serialized)
struct HoldCommandTests {
    private let audiosession: AudiosessionRun

    init() throws {
        audiosession = try AudiosessionRun()
        _ = try audiosession.run(["volume", "1"])
    }

    @Test("DUCK-1: duck lowers others for a time, and pause interrupts them; they return and resume")
    func timed() throws {
        let app = try AppSession(audiosession)
        let (status, output) = try audiosession.run(["duck", "--for", "0.2"])
        #expect(status == 0)
        #expect(output == "", "it prints nothing unless on a terminal")
        #expect(app.isLowered(false))
        let object = try audiosession.object("pause --for 0.2")
        #expect(object["done"] as? String == "pause")
        let session = try #require(object["session"] as? Int)
        #expect(object["message"] as? String == "Session \(session) interrupts other sessions for 0.2 s.")
        #expect(app.isNotified(.interruptionEnded(shouldResume: true)))
    }

    @Test("Without --for, a termination signal ends them with status 0", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        let app = try AppSession(audiosession)
        let sink = try LineSink()
        let duck = try audiosession.start(["duck", "--json"], printingTo: sink)
        #expect(try sink.line().contains("\"done\":\"duck\""))
        #expect(app.isLowered(true))
        duck.send(number)
        #expect(duck.waitForEnd(seconds: 30))
        #expect(duck.reap() == 0)
        #expect(app.isLowered(false))
    }

    @Test("They are refused during a ringing call with 75; wrong times are usage errors")
    func refused() throws {
        #expect(try audiosession.run(["call", "ring"]).status == 0)
        let (status, output) = try audiosession.run(["pause", "--for", "5"])
        #expect(status == 75)
        #expect(output.contains("ringing call"), "\(output)")
        for time in ["0", "nan", "inf", "1e9", "soon", "-1"] {
            #expect(try audiosession.run(["duck", "--for", time]).status == 64, "\(time)")
        }
    }
}
