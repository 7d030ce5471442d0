import AudioRendering
import CJackDriver
import Dispatch
import Foundation
import JackDriver
import Synchronization
import TestSupport
import Testing

extension RealServers {
    /// On a real libjack, whose crash would leave all of the user's servers locked: runs in an
    /// isolated environment only.
    @Suite("Few file descriptors", .jackdOnly("PipeWire's libjack has no such database."), .isolatedOnly)
    struct FewDescriptorsTests {
        @Test(
            "Opening fails during a shortage and succeeds afterwards; the server serves others meanwhile",
            arguments: [0, 5, 11, 12, 13, 31])
        func refused(left: Int) throws {
            let server = try JackServer(try ServerName())
            defer { server.stop() }
            let driver = JackDriver(
                configuration: .init(server: .named(server.name), clientName: "short", recovery: .never))
            let engine = try AudioEngine(driver: driver)
            let shortage = try DescriptorShortage(leaving: left)
            let error = #expect(throws: (any Error).self) { try engine.open() }
            shortage.release()
            guard case .tooFewDescriptors(left, _, 32) = error as? DriverError else {
                Issue.record("\(String(describing: error))")
                return
            }
            let listing = try ChildProcess.run("jack_lsp", [], environment: server.environment, seconds: 10)
            #expect(listing.status == 0 && listing.output.contains("system:playback_1"), "\(listing.output)")
            try engine.open()
            engine.close()
        }

        @Test("A shortage leaves the exact number free while another thread opens files in /proc")
        func exact() throws {
            for _ in 1...20 {
                let isDone = Mutex(false)
                let hasBegun = DispatchSemaphore(value: 0)
                let hasEnded = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    while !isDone.withLock({ $0 }) {
                        _ = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
                        hasBegun.signal()
                    }
                    hasEnded.signal()
                }
                hasBegun.wait()
                let creation = Result { try DescriptorShortage(leaving: 31) }
                isDone.withLock { $0 = true }
                hasEnded.wait()
                let shortage = try creation.get()
                #expect(rcore_jack_free_descriptors(UInt32.max) == 31)
                shortage.release()
            }
        }

        @Test("The device program fails with the reason", arguments: [15, 34])
        func device(limit: Int) throws {
            let server = try JackServer(try ServerName())
            defer { server.stop() }
            let outcome = try ChildProcess.run(
                "bash",
                [
                    "-c", "ulimit -n \(limit); exec \"$0\" --name Short --type headphones --outputs 2",
                    try VirtualDevice.program(),
                ],
                environment: server.environment)
            #expect(outcome.status == 69 && outcome.output.contains("32 free file descriptors"), "\(outcome)")
        }

        @Test("The server program fails with the reason", arguments: [15, 63])
        func server(limit: Int) throws {
            let program = try BuiltProgram.path("audiosession-server")
            let name = try ServerName()
            let outcome = try ChildProcess.run(
                "bash", ["-c", "ulimit -n \(limit); exec \"$0\" --name \(name.text) --driver dummy", program])
            #expect(outcome.status == 69 && outcome.output.contains("the limit is \(limit)"), "\(outcome)")
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For a test that could harm the user's other JACK servers: it runs under `Scripts/isolated`
    /// only.
    static var isolatedOnly: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["AUDIO_TEST_ISOLATED"] == "1",
            "It could leave the user's other JACK servers locked; see CONTRIBUTING.md.")
    }
}
