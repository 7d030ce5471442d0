import DesktopBridge
import Foundation
import TestSupport
import Testing

/// mpv with its MPRIS plug-in, as Debian packages them (mpv, mpv-mpris).
@Suite("desktop: watch of mpv", .serialized)
struct WatchMpvTests {
    @Test("mpv is paused and plays again; its process and position are known")
    func mpv() throws {
        let bus = try WatchedBus()
        let mpv = try ChildProcess(
            "mpv",
            [
                "--no-config", "--no-video", "--ao=null", "--no-input-terminal",
                "--script=/usr/lib/mpv-mpris/mpris.so", "av://lavfi:sine=duration=600",
            ], environment: bus.desktop.environment)
        defer { mpv.send(SIGKILL) }
        let player = try bus.player(named: "mpv")
        #expect(player.process == mpv.identifier && player.identity == "mpv" && player.desktopEntry == "mpv")
        #expect(bus.waits(for: player.id) { $0.status == .playing && $0.canPause && $0.canPlay }, "\(mpv.output)")
        #expect(try bus.pause(player.id).succeeded)
        #expect(bus.waits(for: player.id) { $0.status == .paused })
        let position = try #require(try bus.position(player.id))
        #expect(try bus.position(player.id) == position)
        #expect(try bus.play(player.id).succeeded)
        #expect(bus.waits(for: player.id) { $0.status == .playing })
        #expect(try eventually { try bus.position(player.id).map { $0 > position } ?? false })
        // A process that is stopped by its user.
        mpv.send(SIGSTOP)
        // It stops one thread after another, and one of them serves the bus.
        try #require(eventually { Self.isStopped(mpv.identifier) })
        let pause = try bus.pause(player.id)
        #expect(!pause.succeeded && pause.seconds > 4)
        mpv.send(SIGKILL)
        #expect(bus.events.wait { $0.last == .vanished(player.id) })
    }

    /// Whether all threads of a process are stopped.
    private static func isStopped(_ process: pid_t) -> Bool {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return !threads.isEmpty
            && threads.allSatisfy { thread in
                // "4711 (name) T …"
                readText("\(folder)/\(thread)/stat").split(separator: ")").last?.hasPrefix(" T") == true
            }
    }
}
