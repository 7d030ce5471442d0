import DesktopBridge
import Foundation
import Platform
import TestRandom
import TestSupport
import Testing

/// The end of a watch, and players that come and go.
@Suite("desktop: end of a watch", .serialized)
struct WatchLossTests {
    @Test("A bus that ends is reported once, with a reason, after calls have failed; later calls fail at once")
    func bus() throws {
        let bus = try WatchedBus()
        let player = try ScriptedPlayer(on: bus.desktop, names: ["x"])
        #expect(bus.waits(for: player.owner))
        player.hang(true)
        let call = Promise<Bool>()
        bus.watch.pause(player.owner) { [lost = bus.lost] in call.set($0 || !lost.noted.isEmpty) }
        #expect(player.calls.wait { $0.contains("Pause") })
        bus.desktop.kill()
        #expect(call.wait(seconds: 4) == false)
        #expect(bus.lost.wait(limit: 4) { !$0.isEmpty })
        let isCalled = Mutex(false)
        bus.watch.play(player.owner) { result in isCalled.withLock { $0 = !result } }
        #expect(isCalled.withLock { $0 })
        bus.watch.stop()
        bus.watch.stop()
        #expect(bus.lost.noted.count == 1)
        #expect(bus.lost.noted[0].hasPrefix("The connection to the session bus has ended: "))
        #expect(bus.events.noted.last.map { if case .changed = $0 { true } else { false } } == true)
    }

    @Test("A bus that does not exist is an error that says what to do")
    func missing() throws {
        for address in ["unix:path=/nonexistent/bus", "x", ""] {
            #expect {
                _ = try MediaPlayerWatch(address: address, receive: { _ in }, lost: { _ in })
            } throws: { error in
                "\(error)".hasPrefix("Cannot connect to the session bus: '")
                    && "\(error)".hasSuffix("or set DBUS_SESSION_BUS_ADDRESS.")
            }
        }
    }

    @Test("stop ends calls and events, on whichever thread; a watch that is released stops")
    func stop() throws {
        let desktop = try PrivateBus()
        let player = try ScriptedPlayer(on: desktop, names: ["x"])
        let hung = try ScriptedPlayer(on: desktop, names: ["hung"], isHung: true)
        let isEnding = Mutex(false)
        let ended = Promise<Void>()
        Thread.detachNewThread {
            var number = 0
            while !isEnding.withLock({ $0 }) {
                number += 1
                try? player.announce([("PlaybackStatus", .text(number % 2 == 0 ? "Playing" : "Paused"))])
            }
            ended.set(())
        }
        for round in 0..<30 {
            let bus = try WatchedBus(desktop)
            #expect(bus.waits(for: player.owner))
            let calls = EventLog<Bool>()
            for _ in 0..<5 { bus.watch.pause(hung.owner) { calls.note($0) } }
            for _ in 0...(round % 3) { Thread.detachNewThread { [watch = bus.watch] in watch.stop() } }
            if round % 2 == 0 { bus.watch.stop() }
            #expect(calls.wait { $0.count == 5 })
            #expect(calls.noted == Array(repeating: false, count: 5))
            // All calls have ended: the thread delivers nothing else.
            let count = bus.events.noted.count
            #expect(try !bus.pause(player.owner).succeeded)
            #expect(bus.events.noted.count == count && bus.lost.noted.isEmpty)
        }
        isEnding.withLock { $0 = true }
        #expect(ended.wait(seconds: 20) != nil)
        try expectNoConnections(of: desktop, except: [player, hung])
    }

    @Test("An event may stop the watch: it is the last one")
    func stopInEvent() throws {
        let desktop = try PrivateBus()
        let player = try ScriptedPlayer(on: desktop, names: ["x"])
        let own = Mutex<MediaPlayerWatch?>(nil)
        let mayStop = DispatchSemaphore(value: 0)
        let events = EventLog<MediaPlayerWatch.Event>()
        let watch = try MediaPlayerWatch(
            address: desktop.address,
            receive: { event in
                mayStop.wait()
                own.withLock { $0.take() }?.stop()
                events.note(event)
            }, lost: { _ in Issue.record("lost") })
        own.withLock { $0 = watch }
        mayStop.signal()
        #expect(events.wait { $0.count == 1 })
        // Completes when the thread has ended.
        let call = Promise<Bool>()
        watch.pause(player.owner) { call.set($0) }
        #expect(call.wait(seconds: 20) == false)
        #expect(events.noted.count == 1)
        try expectNoConnections(of: desktop, except: [player])
    }

    /// Expects that the watches have disconnected.
    private func expectNoConnections(of desktop: PrivateBus, except players: [ScriptedPlayer]) throws {
        let known = Set(players.map(\.owner))
        #expect(
            try eventually {
                let output = try desktop.run(
                    "dbus-send", "--bus=\(desktop.address)", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                    "org.freedesktop.DBus.ListNames"
                ).output
                let owners = Set(output.matches(of: /"(:[^"]*)"/).map { String($0.1) })
                // dbus-send itself.
                return owners.isSuperset(of: known) && owners.count == known.count + 1
            })
    }
}
