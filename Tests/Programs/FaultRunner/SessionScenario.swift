import AudioRendering
import AudioSessions
import JackDriver
import TestSupport

extension Scenario {
    /// An app's session on the server: it activates and deactivates repeatedly, also while the
    /// server is lost.
    func runSession() throws {
        let driver = JackDriver(
            configuration: .init(
                server: .named("fake"), clientName: "app", inputs: nil, recovery: .within(seconds: recovery),
                callTimeout: timeout))
        let host = AudioSessionHost(driver: driver)
        defer { log.attempt("host close", within: limit) { host.close() } }
        let events = EventLog<DriverEvent>()
        let observation = try host.engine.get().observe { if case .driver(let event) = $0 { events.note(event) } }
        defer { withExtendedLifetime(observation) {} }
        let session = try AudioSession(host: host)
        log.attempt("category") { try session.setCategory(.playAndRecord) }
        // The slowest call: it opens and starts, and each of these has a deadline.
        let limit = limit + timeout
        log.attempt("activate", within: limit) { try session.setActive(true) }
        log.attempt("prefer", within: limit) { try session.setPreferredIOBufferDuration(0.005) }
        host.settle()
        log.note("route: \(session.currentRoute.outputs.count) outputs")
        log.attempt("deactivate", within: limit) { try session.setActive(false) }
        let active = log.attempt("activate again", within: limit) { try session.setActive(true) } != nil
        if active {
            jack.act("die \(shutdown)")
            log.attempt("deactivate when lost", within: limit) { try session.setActive(false) }
            jack.act("return")
            let back = events.wait(limit: patience) { events in
                events.contains {
                    switch $0 {
                    case .serverReturned, .serverGone: true
                    default: false
                    }
                }
            }
            log.note("back: \(back)")
        }
        log.attempt("activate at last", within: limit) { try session.setActive(true) }
        log.attempt("deactivate at last", within: limit) { try session.setActive(false) }
        host.settle()
        if let fault = RunLog.findFault(in: events.noted) { log.note("FAULT: \(fault)") }
    }
}
