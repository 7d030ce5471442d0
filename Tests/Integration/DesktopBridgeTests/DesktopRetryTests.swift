import Foundation
import Platform
import TestSupport
import Testing

/// What is repeated if a service refuses it or does not reply, and what is not.
@Suite("repeated requests to the desktop", .serialized)
struct DesktopRetryTests {
    private static let logind = "org.freedesktop.login1"
    private static let logindPath = "/org/freedesktop/login1"

    @Test("An inhibitor that was refused is requested again")
    func inhibitor() throws {
        let stage = try DesktopStage()
        let logind = try stage.script(
            """
            count = 0
            @dbus.service.method('org.freedesktop.login1.Manager', in_signature='ssss', out_signature='h')
            def Inhibit(self, what, who, why, mode):
                Service.count += 1
                if Service.count < 3: raise dbus.DBusException('busy', name='org.freedesktop.DBus.Error.Failed')
                print('inhibited')
                return dbus.types.UnixFd(os.pipe()[1])
            """, name: Self.logind, path: Self.logindPath, on: stage.system)
        try stage.start()
        #expect(eventually { logind.output.contains("inhibited") })
        logind.send(SIGTERM)
    }

    @Test("A service that does not reply at first is read again")
    func hang() throws {
        let stage = try DesktopStage()
        let service = try stage.script(
            """
            count = 0
            @dbus.service.method('org.freedesktop.DBus.Properties', in_signature='ss', out_signature='v',
                                 async_callbacks=('reply', 'fail'))
            def Get(self, interface, name, reply, fail):
                Service.count += 1
                print('read', Service.count)
                if Service.count > 1: reply(True)
            """, name: "org.freedesktop.Notifications", path: "/org/freedesktop/Notifications", on: stage.session)
        try stage.start()
        #expect(try stage.shows("do not disturb", "on"))
        #expect(service.output.split(separator: "\n").count == 2)
        service.send(SIGTERM)
    }

    @Test("A session that logind did not know is searched again, and one that ends is left")
    func session() throws {
        let stage = try DesktopStage(settings: "lock: background")
        let logind = try stage.script(
            """
            count = 0
            @dbus.service.method('org.freedesktop.login1.Manager', in_signature='s', out_signature='o')
            def GetSession(self, name):
                Service.count += 1
                if Service.count < 3: raise dbus.DBusException('none', name='org.freedesktop.login1.NoSuchSession')
                path = '/session/%d' % Service.count
                self.add_to_connection(bus, path)
                return path
            @dbus.service.method('org.freedesktop.DBus.Properties', in_signature='ss', out_signature='v')
            def Get(self, interface, name):
                print(interface, Service.count)
                return name == 'LockedHint' and Service.count == 3
            @dbus.service.signal('org.freedesktop.login1.Manager', signature='so')
            def SessionRemoved(self, name, path): pass
            @dbus.service.method('test.Control')
            def Remove(self): self.SessionRemoved('c1', '/session/3')
            SUPPORTS_MULTIPLE_OBJECT_PATHS = True
            """, name: Self.logind, path: Self.logindPath, on: stage.system)
        try stage.start()
        #expect(try stage.shows("screen", " locked"))
        try stage.call("test.Control.Remove", of: Self.logind, at: Self.logindPath, on: stage.system)
        #expect(try stage.shows("screen", "unlocked"))
        #expect(eventually { logind.output.contains("Session 4") })
        logind.send(SIGTERM)
    }

    @Test("A setting that GNOME's program reads slowly at first is followed")
    func slowProgram() throws {
        let directory = try TemporaryDirectory()
        let program = directory.file("gsettings-slow")
        try """
        #!/bin/bash
        if mkdir '\(directory.file("called"))' 2>/dev/null; then read -r < <(tail -f /dev/null); fi
        exec gsettings "$@"
        """.write(toFile: program, atomically: true, encoding: .utf8)
        chmod(program, 0o755)
        let stage = try DesktopStage(environment: ["AUDIOSESSION_GSETTINGS": program])
        try stage.run("gsettings", "set", "org.gnome.desktop.notifications", "show-banners", "false")
        try stage.start()
        #expect(try stage.shows("do not disturb", "on"))
        #expect(stage.end(SIGTERM) == 0)
    }

    @Test("What a killed program has set is undone without a bus, and if the settings turn everything off")
    func marks() throws {
        let stage = try DesktopStage()
        func leaveMark() throws {
            try stage.run("gsettings", "set", "org.gnome.desktop.notifications", "show-banners", "false")
            try stage.start()
            #expect(try stage.shows("do not disturb", "on"))
            stage.end(SIGKILL)
        }
        try leaveMark()
        let missing = "unix:path=/nonexistent"
        let result = try stage.runToEnd(["DBUS_SYSTEM_BUS_ADDRESS": missing, "DBUS_SESSION_BUS_ADDRESS": missing])
        #expect(result.status == EX_UNAVAILABLE)
        #expect(try stage.shows("do not disturb", "off", seconds: 0))
        try leaveMark()
        try "desktop: {sleep: false, calls: false, do-not-disturb: false}\n".write(
            toFile: stage.service.directory.file("config/audiosession/audiosession.yaml"), atomically: true,
            encoding: .utf8)
        #expect(try stage.runToEnd().status == EX_CONFIG)
        #expect(try stage.shows("do not disturb", "off", seconds: 0))
    }
}
