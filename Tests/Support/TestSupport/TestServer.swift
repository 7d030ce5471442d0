import Foundation
import JackDriver

/// The server that the integration tests run on, selected by AUDIO_TEST_SERVER.
public enum TestServer: String, Sendable, CaseIterable {
    /// jackd as it is usually started: clients run in the period after the one for which they were
    /// called.
    case jackd
    /// jackd -S: clients run within the same period.
    case jackdSync = "jackd-sync"
    /// PipeWire through its own libjack, in the environment that `Scripts/with-pipewire` prepares.
    case pipewire

    /// The server of this run; jackd by default.
    public static let current: TestServer = {
        let name = ProcessInfo.processInfo.environment["AUDIO_TEST_SERVER"] ?? ""
        guard let server = TestServer(rawValue: name.isEmpty ? "jackd" : name) else {
            let names = allCases.map(\.rawValue).joined(separator: ", ")
            preconditionFailure("AUDIO_TEST_SERVER must be one of \(names), not '\(name)'.")
        }
        return server
    }()

    public var isJackd: Bool { self != .pipewire }

    /// Whether the server of this run is PipeWire 1.0 or newer: its libjack behaves otherwise in
    /// some places (Documentation/Servers.md).
    public static let isNewerPipeWire =
        current == .pipewire && !JackDriver.libraryVersion.contains("PipeWire 0.")
}
