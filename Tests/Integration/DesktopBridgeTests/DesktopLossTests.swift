import DesktopBridge
import Foundation
import Platform
import TestSupport
import Testing

/// audiosession-desktop when buses and the arbiter die, hang, return or are absent.
@Suite("losses of the desktop", .serialized)
struct DesktopLossTests {
    private static let ofono = "org.ofono"

    private func dial(_ stage: DesktopStage) throws {
        try stage.call(
            "org.ofono.VoiceCallManager.Dial", "'0815'", "''", of: Self.ofono, at: "/ril_0", on: stage.system)
    }

    @Test("Without a bus, the program says so, and exits with 69")
    func noBus() throws {
        let service = try ServiceEnvironment()
        let result = try ChildProcess.run(
            BuiltProgram.path("audiosession-desktop"), ["--socket", service.socket],
            environment: service.environment.merging([
                "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
            ]) { $1 }, seconds: 30)
        #expect(result.status == EX_UNAVAILABLE && result.output.contains("no bus of the desktop is there"))
    }

    @Test("The settings can turn everything off; a second program does not start")
    func settings() throws {
        let off = try DesktopStage(settings: "sleep: false, calls: false, do-not-disturb: false")
        let result = try ChildProcess.run(
            BuiltProgram.path("audiosession-desktop"), [], environment: off.service.environment, seconds: 30)
        #expect(result.status == EX_CONFIG && result.output.contains("turn something on"))
        let stage = try DesktopStage()
        try stage.start()
        let second = try ChildProcess.run(
            BuiltProgram.path("audiosession-desktop"), [], environment: stage.service.environment, seconds: 30)
        #expect(second.status == EX_TEMPFAIL)
    }

    @Test("A call ends with the system bus, while the session bus is still served")
    func systemBusDies() throws {
        let stage = try DesktopStage()
        let ofono = try stage.mock("ofono", name: Self.ofono, on: stage.system)
        let name = "org.freedesktop.Notifications"
        let notifications = try stage.mock("notification_daemon", name: name, on: stage.session)
        try stage.call(
            "org.freedesktop.DBus.Mock.AddProperty", name, "Inhibited", "<false>", of: name,
            at: "/org/freedesktop/Notifications", on: stage.session)
        try stage.start()
        try dial(stage)
        #expect(try stage.shows("call 1: ", "running"))
        stage.system.kill()
        #expect(try stage.isEmpty())
        try stage.call(
            "org.freedesktop.DBus.Mock.UpdateProperties", name, "{'Inhibited': <true>}", of: name,
            at: "/org/freedesktop/Notifications", on: stage.session)
        #expect(try stage.shows("do not disturb", "on"))
        #expect(stage.end(SIGTERM) == 0)
        #expect(try stage.shows("do not disturb", "off"), "the program undoes what it has set")
        for service in [ofono, notifications] { service.send(SIGTERM) }
    }

    @Test("SRV-3: the next arbiter knows the call, which ends")
    func arbiterDies() throws {
        let stage = try DesktopStage()
        let ofono = try stage.mock("ofono", name: Self.ofono, on: stage.system)
        try stage.start()
        try dial(stage)
        #expect(try stage.shows("call 1: ", "running"))
        try stage.service.killService()
        #expect(try stage.shows("call ", "running"))
        ofono.send(SIGKILL)
        ofono.reap()
        #expect(try stage.isEmpty())
        #expect(stage.end(SIGTERM) == 0)
    }

    @Test("Signals beyond 100 in a second are ignored, and then the state is read")
    func flood() throws {
        let stage = try DesktopStage()
        let logind = try stage.script(
            """
            isSleeping = False
            @dbus.service.method('org.freedesktop.DBus.Properties', in_signature='ss', out_signature='v')
            def Get(self, interface, name): return Service.isSleeping
            @dbus.service.signal('org.freedesktop.login1.Manager', signature='b')
            def PrepareForSleep(self, isPreparing): pass
            @dbus.service.method('test.Control')
            def Flood(self):
                Service.isSleeping = True
                for i in range(5000): self.PrepareForSleep(False)
            """, name: "org.freedesktop.login1", path: "/org/freedesktop/login1", on: stage.system)
        let events = Mutex<[DesktopEvent]>([])
        let watch = try DesktopWatch(
            .system, address: stage.system.address, sources: [.sleep],
            receive: { event in events.withLock { $0.append(event) } }, lost: { _ in })
        #expect(eventually { events.withLock { $0 == [.sleeping(false), .synced] } })
        let start = Date()
        try stage.call(
            "test.Control.Flood", of: "org.freedesktop.login1", at: "/org/freedesktop/login1", on: stage.system)
        // The signals say that the machine is awake: only the read reports that it sleeps.
        #expect(eventually { events.withLock { $0.count > 100 && $0.last == .sleeping(true) } })
        watch.stop()
        let seconds = Int(Date().timeIntervalSince(start)) + 1
        let count = events.withLock { $0.count }
        #expect(count <= 2 + 101 * (seconds + 1) && count < 4_000, "\(count) events in \(seconds) s")
        logind.send(SIGTERM)
    }
}
