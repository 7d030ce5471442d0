import AudioSessionTypes
import Foundation
import Platform
import TestSupport
import Testing

@testable import DesktopBridge

/// Buses that are missing, silent, stopped or lost.
@Suite("desktop: loss", .serialized)
struct LossTests {
    private static let info = NowPlayingInfo(.playing, trackIdentifier: "1", title: "A", duration: 100, position: 5)

    /// Tries to connect. Returns the error's text and the duration of the attempt; nil if it
    /// succeeded.
    private func failure(
        address: String?, environment: [String: String] = [:], timeoutSeconds: Double = 5
    ) -> (text: String, seconds: Double)? {
        let begin = ContinuousClock.now
        do throws(SessionBusFailure) {
            _ = try MediaPlayerBus(
                address: address, environment: environment, timeoutSeconds: timeoutSeconds, perform: { _ in })
            return nil
        } catch {
            return (error.description, (ContinuousClock.now - begin) / .seconds(1))
        }
    }

    @Test("A bus that ends, ends the service at once, with a reason; later calls do no harm")
    func bus() throws {
        let served = try ServedPlayer()
        try served.show(Self.info)
        served.desktop.kill()
        guard case .lost(let reason) = try #require(served.end.wait(seconds: 5)) else {
            Issue.record("It was stopped.")
            return
        }
        #expect(reason.hasPrefix("The connection to the session bus has ended: "))
        #expect(reason.hasSuffix("."))
        #expect(served.bus.name == nil)
        served.bus.publish(served.player(Self.info))
        served.bus.publish(nil)
        served.bus.stop()
        #expect(served.bus.run() == .lost(reason: reason))
    }

    @Test("A service that stops before it runs, or without a player, ends; a second thread cannot serve")
    func stop() throws {
        let desktop = try PrivateBus()
        let bus = try MediaPlayerBus(address: desktop.address) { _ in }
        bus.stop()
        #expect(bus.run() == .stopped)
        #expect(bus.run() == .stopped)
        let served = try ServedPlayer(on: desktop)
        try served.show(Self.info)
        #expect(served.bus.run() == .lost(reason: "Another thread is serving the bus."))
        #expect(try served.playerctl("status").output == "Playing")
        served.bus.stop()
        #expect(served.end.wait(seconds: 5) == .stopped)
        // Never served: it disconnects when it is released.
        _ = try MediaPlayerBus(address: desktop.address) { _ in }
    }

    @Test("A missing bus is an error that names what is missing and what to do")
    func missing() throws {
        let folder = try TemporaryDirectory()
        let absent = try #require(failure(address: nil, environment: ["XDG_RUNTIME_DIR": folder.path]))
        #expect(
            absent.text == "Cannot connect to the session bus: DBUS_SESSION_BUS_ADDRESS is not set and "
                + "'\(folder.path)/bus' does not exist. Start the program in a desktop session, or set "
                + "DBUS_SESSION_BUS_ADDRESS.")
        let unset = try #require(failure(address: nil, environment: ["DBUS_SESSION_BUS_ADDRESS": ""]))
        #expect(unset.text.contains("neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set"))
        let refused = try #require(failure(address: "unix:path=\(folder.path)/none"))
        #expect(refused.text.contains("none': No such file or directory. "))
    }

    @Test(
        "A malformed or unknown address is an error",
        arguments: ["", "x", "disabled:", "autolaunch:", "unix:", "unix:path=%", "\0", "\u{1b}[31m", ";"])
    func malformed(address: String) throws {
        let failure = try #require(self.failure(address: address))
        #expect(failure.text.contains(": this is not a valid address. "), "\(failure.text)")
        #expect(!failure.text.contains("\u{1b}"))
    }

    @Test("A bus that accepts the connection and stays silent, or is stopped, is an error after the time limit")
    func silent() throws {
        let folder = try TemporaryDirectory()
        let listener = try SilentListener(folder.file("bus"))
        let silent = try #require(failure(address: "unix:path=\(folder.path)/bus", timeoutSeconds: 0.3))
        #expect(silent.text.contains("it did not reply within 0.3 s"))
        #expect(silent.seconds >= 0.3 && silent.seconds < 3)
        #expect(
            SessionBusState.current(environment: ["XDG_RUNTIME_DIR": folder.path], timeoutSeconds: 0.1)
                == .unreachable(reason: "'unix:path=\(folder.path)/bus': it did not reply within 0.1 s"))
        listener.end()
        let ended = try #require(failure(address: "unix:path=\(folder.path)/bus"))
        #expect(ended.text.contains("Connection refused"))

        let desktop = try PrivateBus()
        desktop.daemon.send(SIGSTOP)
        let stopped = try #require(failure(address: desktop.address, timeoutSeconds: 0.3))
        #expect(stopped.text.contains("it did not reply within 0.3 s"))
        #expect(stopped.seconds >= 0.3 && stopped.seconds < 3)
    }

    @Test("The state of the session bus: reachable, absent or unreachable")
    func state() throws {
        let desktop = try PrivateBus()
        func state(_ environment: [String: String]) -> SessionBusState {
            SessionBusState.current(environment: environment, timeoutSeconds: 2)
        }
        #expect(state(desktop.environment) == .reachable(address: desktop.address))
        let runtime = URL(fileURLWithPath: String(desktop.address.dropFirst("unix:path=".count)))
            .deletingLastPathComponent().path
        #expect(state(["XDG_RUNTIME_DIR": runtime]) == .reachable(address: desktop.address))
        // The path is escaped.
        let folder = try TemporaryDirectory()
        let odd = folder.file("a b,c;ü=%")
        try FileManager.default.createSymbolicLink(atPath: odd, withDestinationPath: runtime)
        guard case .reachable = state(["XDG_RUNTIME_DIR": odd]) else {
            Issue.record("\(state(["XDG_RUNTIME_DIR": odd]))")
            return
        }
        guard case .absent(let reason) = state(["XDG_RUNTIME_DIR": folder.path]) else {
            Issue.record("It is not absent.")
            return
        }
        #expect(reason == "DBUS_SESSION_BUS_ADDRESS is not set and '\(folder.path)/bus' does not exist")
        desktop.kill()
        #expect(
            state(["XDG_RUNTIME_DIR": runtime])
                == .unreachable(reason: "'\(desktop.address)': Connection refused"))
    }

    @Test("While the bus is stopped, publications replace each other, and stop works; afterwards the last one is shown")
    func stopped() throws {
        let served = try ServedPlayer()
        try served.show(Self.info)
        served.desktop.daemon.send(SIGSTOP)
        var info = Self.info
        for number in 0..<20_000 {
            info.title = String(repeating: "x", count: 1_000) + "\(number)"
            served.bus.publish(served.player(info))
        }
        info.title = "last"
        served.bus.publish(served.player(info))
        served.desktop.daemon.send(SIGCONT)
        #expect(try eventually { try served.playerctl("metadata", "title").output == "last" })
        served.desktop.daemon.send(SIGSTOP)
        for number in 0..<1_000 {
            info.title = "\(number)"
            served.bus.publish(served.player(info))
        }
        served.bus.stop()
        #expect(served.end.wait(seconds: 5) == .stopped)
    }
}

/// A socket that accepts connections into its queue, and never replies.
private final class SilentListener {
    private var listener: Int32

    init(_ path: String) throws {
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw TestFailure("'\(path)' is too long for a socket path.")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0, listen(listener, 5) == 0 else { throw TestFailure("Cannot listen at '\(path)'.") }
    }

    deinit { end() }

    func end() {
        if listener >= 0 { close(listener) }
        listener = -1
    }
}
