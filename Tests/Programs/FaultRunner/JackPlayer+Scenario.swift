import AudioRendering
import JackDriver
import TestSupport

extension JackPlayer {
    /// Creates a player on the fake's server. The body's log receives its events, except xruns.
    convenience init(_ scenario: Scenario, name: String = "faulty", inputs: Int? = 2, switchPatience: Double? = nil)
        throws
    {
        var configuration = JackDriver.Configuration(
            server: .named("fake"), clientName: name, inputs: inputs, recovery: .within(seconds: scenario.recovery),
            callTimeout: scenario.timeout)
        configuration.switchPatience = switchPatience ?? configuration.switchPatience
        try self.init(configuration) { [log = scenario.log] event in
            if case .xrun = event { return }
            log.note("\(name) event: \(RunLog.describe(event))")
        }
        // The limiter adds a delay. Its report to the server is a call that waits for all of its
        // clients.
        try engine.setLimiter(AudioLimiter(), of: OutputRoute(firstChannel: 0, channels: 2))
    }

    /// Waits for `count` losses of the server.
    func waitForLosses(_ count: Int, limit: Double) -> Bool {
        events.wait(limit: limit) { $0.count { $0 == .serverLost } >= count }
    }

    /// Waits for `count` ends of losses: the server has returned, or the driver has given up.
    func waitForReturns(_ count: Int, limit: Double) -> Bool {
        events.wait(limit: limit) { events in
            events.count {
                switch $0 {
                case .serverReturned, .serverGone: true
                default: false
                }
            } >= count
        }
    }
}
