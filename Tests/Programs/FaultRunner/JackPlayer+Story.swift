import AudioRendering
import JackDriver
import TestSupport

extension JackPlayer {
    /// One on the fake's server; its events go to the story's diary, but for xruns.
    convenience init(_ story: Story, name: String = "faulty", inputs: Int? = 2, switchPatience: Double? = nil) throws {
        var configuration = JackDriver.Configuration(
            server: .named("fake"), clientName: name, inputs: inputs, recovery: .within(seconds: story.recovery),
            callTimeout: story.timeout)
        configuration.switchPatience = switchPatience ?? configuration.switchPatience
        try self.init(configuration) { [diary = story.diary] event in
            if case .xrun = event { return }
            diary.note("\(name) event: \(Diary.describe(event))")
        }
        // The server is notified of its delay by a call that waits for all of its clients.
        try engine.setLimiter(AudioLimiter(), of: OutputRoute(firstChannel: 0, channels: 2))
    }

    /// Losses, whether reported once or more.
    func waitForLosses(_ count: Int, limit: Double) -> Bool {
        events.wait(limit: limit) { $0.count { $0 == .serverLost } >= count }
    }

    /// Ends of losses: the server is back, or given up.
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
