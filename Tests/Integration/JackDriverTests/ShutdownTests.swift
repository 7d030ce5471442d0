import CJackDriver
import Foundation
import TestSupport
import Testing

extension RealServers {
    /// Tests the C client alone, closed at the moment at which the server reports its end.
    @Suite("A server that closes")
    struct ShutdownTests {
        let name: ServerName

        init() throws { name = try ServerName() }

        /// The data of the thread that closes the client.
        private struct Client: @unchecked Sendable {
            let handle: OpaquePointer
            let monitor: OpaquePointer
        }

        /// Closing cancels libjack's notification thread. If that thread were within a
        /// notification, libjack would stay locked permanently.
        @Test("SRV-1: closing a client as soon as the server reports its end never leaves libjack locked")
        func closedAtOnce() throws {
            let monitor = try #require(rcore_jack_monitor_create())
            var server = try JackServer(name)
            defer { server.stop() }
            for round in 1...15 {
                var status = RCORE_JACK_OK
                let handle = try #require(
                    rcore_jack_open(name.text, "shutdown", monitor, &status),
                    "round \(round): status \(status.rawValue)")
                #expect(rcore_jack_register_ports(handle, 2, 0) == RCORE_JACK_OK)
                #expect(rcore_jack_activate(handle) == RCORE_JACK_OK)
                let client = Client(handle: handle, monitor: monitor)
                let closed = DispatchSemaphore(value: 0)
                let closer = Thread {
                    while !rcore_jack_read_snapshot(client.monitor).lost { continue }
                    rcore_jack_close(client.handle)
                    closed.signal()
                }
                closer.start()
                server.stop()
                try #require(closed.wait(timeout: .now() + 10) == .success, "hangs in round \(round)")
                server = try JackServer(name)
            }
            // A client that outlived its server leaves a semaphore, which the next client of its
            // name removes.
            rcore_jack_close(try #require(rcore_jack_open(name.text, "shutdown", monitor, nil)))
            rcore_jack_monitor_destroy(monitor)
        }
    }
}
