import Foundation

/// Which server the integration tests run on: AUDIO_TEST_SERVER says so.
public enum TestServer: String, Sendable, CaseIterable {
    /// jackd as it is started most: clients run in the period after the one they were called for.
    case jackd
    /// jackd -S: clients run within the period.
    case jackdSync = "jackd-sync"
    /// PipeWire through its own libjack, in what `Scripts/with-pipewire` makes ready.
    case pipewire

    /// That of this run; jackd where nothing is said.
    public static let current: TestServer = {
        let name = ProcessInfo.processInfo.environment["AUDIO_TEST_SERVER"] ?? ""
        guard let server = TestServer(rawValue: name.isEmpty ? "jackd" : name) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            preconditionFailure("AUDIO_TEST_SERVER is one of \(names), not '\(name)'.")
        }
        return server
    }()

    public var isJackd: Bool { self != .pipewire }
}
