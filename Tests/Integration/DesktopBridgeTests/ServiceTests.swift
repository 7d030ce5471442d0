import AudioSessionTypes
import DesktopBridge
import Foundation
import Platform
import TestSupport
import Testing

/// The thread that serves the bus, while commands take long or act on the bus themselves.
@Suite("desktop: service", .serialized)
struct ServiceTests {
    private let desktop: PrivateBus
    private let player = MediaPlayer(
        name: "player", number: 1, commands: [.nextTrack, .quit], playbackState: .paused, record: nil)

    init() throws { desktop = try PrivateBus() }

    /// Serves the bus on a thread, and shows the player.
    private func serve(_ bus: MediaPlayerBus) throws -> Promise<MediaPlayerBus.End> {
        let end = Promise<MediaPlayerBus.End>()
        guard WorkerThread().start(name: "mpris", { end.set(bus.run()) }) else {
            throw TestFailure("Cannot start a thread.")
        }
        bus.publish(player)
        guard eventually({ bus.name != nil }) else { throw TestFailure("The player has no name on the bus.") }
        return end
    }

    @Test("stop takes effect before thousands of requests that wait")
    func flood() throws {
        let begun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let bus = try MediaPlayerBus(address: desktop.address) { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            guard isFirst else { return }
            begun.signal()
            mayEnd.wait()
        }
        let end = try serve(bus)
        try BusClient(desktop.address).send("org.mpris.MediaPlayer2.Player", "Next", times: 3_000)
        #expect(begun.wait(timeout: .now() + 20) == .success)
        bus.stop()
        mayEnd.signal()
        #expect(end.wait(seconds: 20) == .stopped)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("A command may publish and stop; its sender receives the reply")
    func stopInCommand() throws {
        let own = Mutex<MediaPlayerBus?>(nil)
        let bus = try MediaPlayerBus(address: desktop.address) { _ in
            guard let bus = own.withLock({ $0 }) else { return }
            bus.publish(nil)
            bus.stop()
        }
        own.withLock { $0 = bus }
        let end = try serve(bus)
        let reply = try desktop.call("org.mpris.MediaPlayer2.Quit")
        #expect(reply.status == 0, "\(reply.output)")
        #expect(end.wait(seconds: 20) == .stopped)
        #expect(try desktop.names == [])
        own.withLock { $0 = nil }
    }
}
