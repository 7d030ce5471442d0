import AudioRendering
import AudioSessions
import JackDriver
import TestSupport

extension Story {
    /// An app's session on the server: it activates and deactivates, again and again, and over the server's death.
    func tellSession() throws {
        let driver = JackDriver(
            configuration: .init(
                server: .named("fake"), clientName: "app", inputs: nil, recovery: .within(seconds: recovery),
                callTimeout: timeout))
        let host = AudioSessionHost(driver: driver)
        defer { diary.attempt("host close", within: limit) { host.close() } }
        let events = Signpost<DriverEvent>()
        let observation = try host.engine.get().observe { if case .driver(let event) = $0 { events.note(event) } }
        defer { withExtendedLifetime(observation) {} }
        let session = try AudioSession(host: host)
        diary.attempt("category") { try session.setCategory(.playAndRecord) }
        // The longest: to open and to start, each of them a call with a deadline.
        let limit = limit + timeout
        diary.attempt("activate", within: limit) { try session.setActive(true) }
        diary.attempt("prefer", within: limit) { try session.setPreferredIOBufferDuration(0.005) }
        host.settle()
        diary.note("route: \(session.currentRoute.outputs.count) outputs")
        diary.attempt("deactivate", within: limit) { try session.setActive(false) }
        let active = diary.attempt("activate again", within: limit) { try session.setActive(true) } != nil
        if active {
            jack.act("die \(farewell)")
            diary.attempt("deactivate when lost", within: limit) { try session.setActive(false) }
            jack.act("return")
            let back = events.wait(limit: patience) { events in
                events.contains {
                    switch $0 {
                    case .serverReturned, .serverGone: true
                    default: false
                    }
                }
            }
            diary.note("back: \(back)")
        }
        diary.attempt("activate at last", within: limit) { try session.setActive(true) }
        diary.attempt("deactivate at last", within: limit) { try session.setActive(false) }
        host.settle()
        if let fault = Diary.findFault(in: events.noted) { diary.note("FAULT: \(fault)") }
    }
}
