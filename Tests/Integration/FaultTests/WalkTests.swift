import TestRandom
import TestSupport
import Testing

/// Makes one call of libjack after the other fail: the driver must report an error or recover
/// within bounded time, and must not leak a thread, descriptor, client, port or list of names.
@Suite("A JACK server that fails")
struct FailureWalkTests {
    @Test(
        "SRV-1, SRV-2: one call after the other fails, in one of its ways",
        arguments: ["life", "devices", "hosts", "session", "programs"])
    func failing(scenario: String) throws { try walk(scenario, "fail", every: TestLength.times(4, long: 1)) }

    @Test(
        "SRV-1: one call after the other never returns",
        arguments: ["life", "devices", "hosts", "session", "programs"])
    func hanging(scenario: String) throws { try walk(scenario, "hang", every: Self.stride) }

    @Test(
        "SRV-1: the server ends at one call after the other, and reports it in every way",
        arguments: [
            "die info", "die plain", "die info plain twice cycle", "die info process",
        ])
    func ending(action: String) throws { try walk("life", action, every: Self.stride) }

    @Test(
        "At one call after the other, the device is unplugged, or every notification arrives on four threads at once",
        arguments: ["unplug system", "storm"])
    func leaving(action: String) throws { try walk("life", action, every: Self.stride) }

    /// When the server ends or hangs, adjacent calls behave alike and each run is slow: only one
    /// call in this many is tested.
    private static let stride = TestLength.times(20, long: 5)

    /// Tests one call in `stride`. As many consecutive seeds cover all calls.
    private func walk(_ scenario: String, _ fault: String, every stride: Int) throws {
        let outcome = try Runner.run(
            scenario, arguments: ["--walk", fault, "--every", "\(stride)", "--limit", "580"], seconds: 600)
        #expect(outcome.status == 0, "\(TestSeed.text): \(outcome.output)")
        // A walk without faults proves nothing.
        let calls = outcome.lines.last { $0.hasPrefix("walked") }?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
        #expect(calls * stride > 60, "\(outcome.output)")
    }
}
