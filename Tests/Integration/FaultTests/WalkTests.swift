import TestSupport
import Testing

/// Every call that the driver makes goes wrong once, whatever comes of it: a clean error or a recovery, in bounded time, and nothing is left
/// over: no thread, descriptor, client, port or list of names.
@Suite("A JACK server that fails")
struct FailureWalkTests {
    @Test(
        "SRV-1, SRV-2: each call in turn fails, in one of its ways after the other",
        arguments: ["life", "devices", "hosts", "session"])
    func failing(story: String) throws { try walk(story, "fail") }

    @Test(
        "SRV-1: every fifth call in turn never returns, until all is over",
        arguments: ["life", "devices", "hosts", "session"])
    func hanging(story: String) throws { try walk(story, "hang", every: 5) }

    @Test(
        "SRV-1: at every fifth call in turn the server ends, and says so in every way",
        arguments: [
            "die info", "die plain", "die info plain twice cycle", "die info process",
        ])
    func ending(action: String) throws { try walk("life", action, every: 5) }

    @Test(
        "At every fifth call in turn the device leaves, and meanwhile every notice comes on four threads at once",
        arguments: ["unplug system", "storm"])
    func leaving(action: String) throws { try walk("life", action, every: 5) }

    /// `every`: where the server ends or hangs, neighbours fare alike, and take long: one in so many is tried.
    private func walk(_ story: String, _ fault: String, every stride: Int = 1) throws {
        let outcome = try Runner.run(story, arguments: ["--walk", fault, "--every", "\(stride)"], seconds: 300)
        #expect(outcome.status == 0, "\(outcome.output)")
        // A walk that met nothing proves nothing.
        let calls = outcome.lines.last { $0.hasPrefix("walked") }?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
        #expect(calls > 20, "\(outcome.output)")
    }
}
