import TestRandom
import TestSupport
import Testing

/// Calls of libjack fail in turn: the driver must report an error or recover, in bounded time, and leak nothing: no thread, descriptor,
/// client, port or list of names.
@Suite("A JACK server that fails")
struct FailureWalkTests {
    @Test(
        "SRV-1, SRV-2: calls in turn fail, in one of their ways after the other",
        arguments: ["life", "devices", "hosts", "session"])
    func failing(story: String) throws { try walk(story, "fail", every: TestLength.times(4, long: 1)) }

    @Test(
        "SRV-1: one call after the other never returns, until all is over",
        arguments: ["life", "devices", "hosts", "session"])
    func hanging(story: String) throws { try walk(story, "hang", every: Self.stride) }

    @Test(
        "SRV-1: at one call after the other the server ends, and says so in every way",
        arguments: [
            "die info", "die plain", "die info plain twice cycle", "die info process",
        ])
    func ending(action: String) throws { try walk("life", action, every: Self.stride) }

    @Test(
        "At one call after the other the device leaves, and meanwhile every notice comes on four threads at once",
        arguments: ["unplug system", "storm"])
    func leaving(action: String) throws { try walk("life", action, every: Self.stride) }

    /// Where the server ends or hangs, adjacent calls behave alike, and each run is slow: one in so many is tried.
    private static let stride = TestLength.times(20, long: 5)

    /// Tries one call in `stride`; as many seeds in a row try all of them.
    private func walk(_ story: String, _ fault: String, every stride: Int) throws {
        let outcome = try Runner.run(
            story, arguments: ["--walk", fault, "--every", "\(stride)", "--limit", "580"], seconds: 600)
        #expect(outcome.status == 0, "\(TestSeed.text): \(outcome.output)")
        // A walk that met nothing proves nothing.
        let calls = outcome.lines.last { $0.hasPrefix("walked") }?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
        #expect(calls * stride > 60, "\(outcome.output)")
    }
}
