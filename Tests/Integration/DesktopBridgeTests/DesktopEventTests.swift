import Foundation
import Platform
import TestSupport
import Testing

/// audiosession-desktop: from the signals of simulated services to the arbiter's status.
@Suite("events of the desktop", .serialized)
struct DesktopEventTests {
    private static let logind = "org.freedesktop.login1"
    private static let logindPath = "/org/freedesktop/login1"
    private static let ofono = "org.ofono"
    private static let modem = "/ril_0"
    private static let voice = "org.ofono.VoiceCallManager"

    // MARK: Sleep

    private func inhibitors(_ stage: DesktopStage) throws -> String {
        try stage.call("\(Self.logind).Manager.ListInhibitors", of: Self.logind, at: Self.logindPath, on: stage.system)
    }

    private func prepareForSleep(_ isPreparing: Bool, _ stage: DesktopStage) throws {
        try stage.emit(
            "\(Self.logind).Manager", "PrepareForSleep", "b", "<\(isPreparing)>", of: Self.logind,
            at: Self.logindPath, on: stage.system)
    }

    @Test("The inhibitor is released only after the arbiter has interrupted everything, and then taken again")
    func sleepOrder() throws {
        let stage = try DesktopStage()
        let logind = try stage.mock("logind", name: Self.logind, on: stage.system)
        try stage.start()
        #expect(try eventually { try inhibitors(stage).contains("'sleep', 'audiosession'") })
        #expect(try inhibitors(stage).contains("'delay'"))

        // While the arbiter is stopped, the machine waits; but not for long.
        for service in stage.service.services { kill(service, SIGSTOP) }
        let start = Date()
        try prepareForSleep(true, stage)
        #expect(try eventually { try !inhibitors(stage).contains("audiosession") })
        let waited = Date().timeIntervalSince(start)
        #expect(waited > 0.7 && waited < 3, "the bound, and the time of the programs: \(waited) s")
        for service in stage.service.services { kill(service, SIGCONT) }
        #expect(try stage.shows("sleep", "running"))
        try prepareForSleep(false, stage)
        #expect(try stage.isEmpty())
        #expect(try stage.log.contains("end without resuming others"))
        #expect(try eventually { try inhibitors(stage).contains("audiosession") })

        // With an arbiter that replies, the sleep has begun when the inhibitor is gone.
        try prepareForSleep(true, stage)
        #expect(try eventually { try !inhibitors(stage).contains("audiosession") })
        #expect(try stage.status.contains("sleep 2: playback: running"))
        // logind dies: nobody would report that the machine has woken.
        logind.send(SIGKILL)
        logind.reap()
        #expect(try stage.isEmpty())
        let next = try stage.mock("logind", name: Self.logind, on: stage.system)
        #expect(try eventually { try inhibitors(stage).contains("audiosession") })
        #expect(stage.end(SIGTERM) == 0)
        #expect(try eventually { try !inhibitors(stage).contains("audiosession") })
        next.send(SIGTERM)
    }

    // MARK: Lock

    @Test("BG-2: the screen is locked while logind or the screen saver says so, if the settings want it")
    func lock() throws {
        let stage = try DesktopStage(settings: "lock: background")
        let logind = try stage.mock("logind", name: Self.logind, on: stage.system)
        try stage.call(
            "org.freedesktop.DBus.Mock.AddSession", "c1", "seat0", "1000", "joe", "true", of: Self.logind,
            at: Self.logindPath, on: stage.system)
        let saver = try stage.mock("gnome_screensaver", name: "org.gnome.ScreenSaver", on: stage.session)
        try stage.start()
        #expect(try stage.shows("screen", "unlocked"))
        func setActive(_ isActive: Bool) throws {
            try stage.call(
                "org.gnome.ScreenSaver.SetActive", "\(isActive)", of: "org.gnome.ScreenSaver",
                at: "/org/gnome/ScreenSaver", on: stage.session)
        }
        func signal(_ member: String) throws {
            try stage.emit(
                "\(Self.logind).Session", member, "", "", of: Self.logind, at: "\(Self.logindPath)/session/c1",
                on: stage.system)
        }
        try setActive(true)
        #expect(try stage.shows("screen", " locked"))
        try signal("Lock")
        try setActive(false)
        #expect(try !stage.shows("screen", "unlocked", seconds: 0.5), "logind still says so")
        try signal("Unlock")
        #expect(try stage.shows("screen", "unlocked"))
        // A killed program leaves the lock, and its successor ends it.
        try setActive(true)
        #expect(try stage.shows("screen", " locked"))
        stage.end(SIGKILL)
        try setActive(false)
        #expect(try stage.shows("screen", " locked"))
        try stage.start()
        #expect(try stage.shows("screen", "unlocked"))
        for service in [logind, saver] { service.send(SIGTERM) }
    }

    // MARK: Calls

    @Test("INT-6: a call of oFono rings, is accepted, and ends with its daemon")
    func ofonoCalls() throws {
        let stage = try DesktopStage()
        var ofono = try stage.mock("ofono", name: Self.ofono, on: stage.system)
        try stage.start()
        let call = "\(Self.modem)/voicecall01"
        func ring() throws {
            try stage.call(
                "org.freedesktop.DBus.Mock.AddObject", call, "org.ofono.VoiceCall",
                "{'State': <'incoming'>}",
                "[('GetProperties', '', 'a{sv}', 'ret = self.GetAll(\"org.ofono.VoiceCall\")')]",
                of: Self.ofono, at: "/", on: stage.system)
            try stage.emit(
                Self.voice, "CallAdded", "oa{sv}", "<objectpath '\(call)'>, <{'State': <'incoming'>}>", of: Self.ofono,
                at: Self.modem, on: stage.system)
        }
        try ring()
        #expect(try stage.shows("ringing call 1: ", "ringing"))
        try stage.emit(
            "org.ofono.VoiceCall", "PropertyChanged", "sv", "<'State'>, <<'active'>>", of: Self.ofono, at: call,
            on: stage.system)
        #expect(try stage.shows("call 1: ", "running"))
        ofono.send(SIGKILL)
        ofono.reap()
        #expect(try stage.isEmpty())

        // The daemon returns, and with it a call that exists already.
        ofono = try stage.mock("ofono", name: Self.ofono, on: stage.system)
        try stage.call(
            "\(Self.voice).Dial", "'0815'", "''", of: Self.ofono, at: Self.modem, on: stage.system)
        #expect(try stage.shows("call 2: ", "running"))
        // A killed program leaves no call, and its successor begins it again.
        stage.end(SIGKILL)
        #expect(try stage.isEmpty())
        try stage.start()
        #expect(try stage.shows("call 3: ", "running"))
        #expect(stage.end(SIGTERM) == 0)
        #expect(try stage.isEmpty())
        ofono.send(SIGTERM)
    }

    @Test("A call of ModemManager rings and is accepted, and its modem disappears")
    func modemManagerCalls() throws {
        let name = "org.freedesktop.ModemManager1"
        let (root, modem, call) = ("/org/freedesktop/ModemManager1", "/modem/0", "/call/0")
        let stage = try DesktopStage()
        let service = try stage.mock(
            name: name, path: root, interface: "org.freedesktop.ModemManager1", on: stage.system)
        func mock(_ method: String, _ arguments: [String], at path: String) throws {
            let result = try ChildProcess.run(
                "gdbus",
                [
                    "call", "--address", stage.system.address, "--dest", name, "--object-path", path, "--method",
                    "org.freedesktop.DBus.Mock.\(method)",
                ] + arguments, seconds: 20)
            guard result.status == 0 else { throw TestFailure("\(method) failed: \(result.output)") }
        }
        try mock(
            "AddMethod",
            [
                "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", "a{oa{sa{sv}}}",
                "ret = {dbus.ObjectPath('\(modem)'): {'\(name).Modem.Voice': {'EmergencyOnly': False}}}",
            ], at: root)
        try mock(
            "AddObject",
            [
                modem, "\(name).Modem.Voice", "@a{sv} {}",
                "[('ListCalls', '', 'ao', 'ret = [dbus.ObjectPath(\"\(call)\")]')]",
            ], at: root)
        try mock(
            "AddObject", [call, "\(name).Call", "{'State': <int32 3>, 'Direction': <int32 1>}", "@a(ssss) []"], at: root
        )
        try stage.start()
        #expect(try stage.shows("ringing call 1: ", "ringing"), "a call that exists at the start")
        try stage.emit(
            "\(name).Call", "StateChanged", "iiu", "<int32 3>, <int32 4>, <uint32 3>", of: name, at: call,
            on: stage.system)
        #expect(try stage.shows("call 1: ", "running"))
        try stage.emit(
            "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas",
            "<objectpath '\(modem)'>, <['\(name).Modem.Voice']>", of: name, at: root, on: stage.system)
        #expect(try stage.isEmpty())
        service.send(SIGTERM)
    }

    // MARK: Do-not-disturb

    @Test("GUIDE-9: do-not-disturb of KDE and of GNOME, and no process is left when the program is killed")
    func doNotDisturb() throws {
        let stage = try DesktopStage()
        let name = "org.freedesktop.Notifications"
        let service = try stage.mock("notification_daemon", name: name, on: stage.session)
        try stage.call(
            "org.freedesktop.DBus.Mock.AddProperty", name, "Inhibited", "<true>", of: name,
            at: "/org/freedesktop/Notifications", on: stage.session)
        try stage.start()
        #expect(try stage.shows("do not disturb", "on"))
        try stage.call(
            "org.freedesktop.DBus.Mock.UpdateProperties", name, "{'Inhibited': <false>}", of: name,
            at: "/org/freedesktop/Notifications", on: stage.session)
        #expect(try stage.shows("do not disturb", "off"))

        try stage.run("gsettings", "set", "org.gnome.desktop.notifications", "show-banners", "false")
        #expect(try stage.shows("do not disturb", "on"))
        let monitors = OtherProcess.find(program: "gsettings", arguments: ["monitor"])
        stage.end(SIGKILL)
        #expect(monitors.isEmpty == false)
        #expect(eventually { OtherProcess.find(program: "gsettings", arguments: ["monitor"]).isEmpty })
        try stage.run("gsettings", "set", "org.gnome.desktop.notifications", "show-banners", "true")
        try stage.start()
        #expect(try stage.shows("do not disturb", "off"))
        // What the user has set by hand is left alone.
        try stage.service.audiosession("do-not-disturb", "on")
        #expect(stage.end(SIGTERM) == 0)
        #expect(try stage.shows("do not disturb", "on", seconds: 0))
        service.send(SIGTERM)
    }
}
