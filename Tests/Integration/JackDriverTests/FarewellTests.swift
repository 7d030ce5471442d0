import CJackDriver
import Foundation
import TestSupport
import Testing

extension RealServers {
    /// The C client alone, closed in the very moment in which the server tells its end.
    @Suite("A server that closes")
    struct FarewellTests {
        let name: ServerName

        init() throws { name = try ServerName() }

        /// What the thread that closes works on.
        private struct Client: @unchecked Sendable {
            let handle: OpaquePointer
            let news: OpaquePointer
        }

        /// Closing cancels libjack's notification thread: were it within a notification, libjack would stay locked for good.
        @Test("SRV-1: a client that is closed as soon as the server says that it ends never leaves libjack locked")
        func closedAtOnce() throws {
            let news = try #require(rcore_jack_news_create())
            var server = try JackServer(name)
            defer { server.stop() }
            for round in 1...15 {
                var status = RCORE_JACK_OK
                let handle = try #require(
                    rcore_jack_open(name.text, "farewell", news, &status), "round \(round): status \(status.rawValue)")
                #expect(rcore_jack_register_ports(handle, 2, 0) == RCORE_JACK_OK)
                #expect(rcore_jack_activate(handle) == RCORE_JACK_OK)
                let client = Client(handle: handle, news: news)
                let closed = DispatchSemaphore(value: 0)
                let closer = Thread {
                    while !rcore_jack_read_snapshot(client.news).lost { continue }
                    rcore_jack_close(client.handle)
                    closed.signal()
                }
                closer.start()
                server.stop()
                try #require(closed.wait(timeout: .now() + 10) == .success, "hangs in round \(round)")
                server = try JackServer(name)
            }
            // A client that outlived its server leaves a semaphore, which goes with the next client of its name.
            rcore_jack_close(try #require(rcore_jack_open(name.text, "farewell", news, nil)))
            rcore_jack_news_destroy(news)
        }
    }
}
