import Foundation
import Platform
import TestSupport

/// A desktop with a system bus, a session bus, simulated services (python3-dbusmock), the arbiter
/// and audiosession-desktop.
final class DesktopStage: Sendable {
    let system: PrivateBus
    let session: PrivateBus
    let service: ServiceEnvironment
    private let environment: [String: String]
    private let program: Mutex<ChildProcess?>

    /// `settings` are those of the section `desktop`.
    init(settings: String = "", environment additions: [String: String] = [:]) throws {
        system = try PrivateBus()
        session = try PrivateBus()
        service = try ServiceEnvironment()
        if !settings.isEmpty {
            try "desktop: {\(settings)}\n".write(
                toFile: service.directory.file("config/audiosession/audiosession.yaml"), atomically: true,
                encoding: .utf8)
        }
        environment = service.environment.merging([
            "DBUS_SYSTEM_BUS_ADDRESS": system.address, "DBUS_SESSION_BUS_ADDRESS": session.address,
            "XDG_SESSION_ID": "c1", "GSETTINGS_BACKEND": "keyfile",
        ]) { $1 }.merging(additions) { $1 }
        program = Mutex(nil)
    }

    deinit {
        guard let child = program.withLock({ $0 }) else { return }
        child.send(SIGKILL)
        child.reap()
    }

    // MARK: Programs

    /// Runs audiosession-desktop until it exits by itself.
    func runToEnd(_ changes: [String: String] = [:]) throws -> (status: Int32, output: String) {
        let result = try ChildProcess.run(
            BuiltProgram.path("audiosession-desktop"), ["--socket", service.socket],
            environment: environment.merging(changes) { $1 }, seconds: 30)
        return (result.status, result.output)
    }

    /// Starts audiosession-desktop, and waits until the arbiter knows it.
    func start() throws {
        let child = try ChildProcess(
            BuiltProgram.path("audiosession-desktop"), ["--socket", service.socket], environment: environment)
        program.withLock { $0 = child }
        guard try shows("1 program connected") else { throw TestFailure("It did not start: \(child.output)") }
    }

    var child: ChildProcess? { program.withLock { $0 } }

    /// Ends audiosession-desktop by a signal, and returns its exit status.
    @discardableResult
    func end(_ signal: Int32) -> Int32? {
        child?.send(signal)
        return child?.reap()
    }

    /// Runs a program of the desktop.
    @discardableResult
    func run(_ program: String, _ arguments: String...) throws -> String {
        let result = try ChildProcess.run(program, arguments, environment: environment, seconds: 20)
        guard result.status == 0 else {
            throw TestFailure("\(program) \(arguments) exited with \(result.status): \(result.output)")
        }
        return result.output
    }

    // MARK: Services

    /// Starts a simulated service from a template of python3-dbusmock.
    func mock(_ template: String, name: String, on bus: PrivateBus) throws -> ChildProcess {
        try mock(["--template", template], name: name, on: bus)
    }

    /// Starts an empty simulated service with one object.
    func mock(name: String, path: String, interface: String, on bus: PrivateBus) throws -> ChildProcess {
        try mock([bus === system ? "--system" : "--session", name, path, interface], name: name, on: bus)
    }

    private func mock(_ arguments: [String], name: String, on bus: PrivateBus) throws -> ChildProcess {
        try python(["-m", "dbusmock"] + arguments, name: name, on: bus)
    }

    /// Starts a service that is written in Python: the body of a class, whose object is at `path`.
    func script(_ body: String, name: String, path: String, on bus: PrivateBus) throws -> ChildProcess {
        let lines = body.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
        let script = """
            import dbus, dbus.service, os
            from dbus.mainloop.glib import DBusGMainLoop
            from gi.repository import GLib
            DBusGMainLoop(set_as_default=True)
            bus = dbus.bus.BusConnection('\(bus.address)')
            class Service(dbus.service.Object):
            \(lines)
            service = Service(bus, '\(path)')
            name = dbus.service.BusName('\(name)', bus)
            GLib.MainLoop().run()
            """
        return try python(["-u", "-c", script], name: name, on: bus)
    }

    private func python(_ arguments: [String], name: String, on bus: PrivateBus) throws -> ChildProcess {
        let child = try ChildProcess("/usr/bin/python3", arguments, environment: environment)
        let isThere = try eventually {
            try bus.run(
                "gdbus", "call", "--address", bus.address, "--dest", "org.freedesktop.DBus", "--object-path",
                "/org/freedesktop/DBus", "--method", "org.freedesktop.DBus.NameHasOwner", name
            ).output.contains("true")
        }
        guard isThere else { throw TestFailure("'\(name)' did not start: \(child.output)") }
        return child
    }

    /// Calls a method; arguments in the form of gdbus. Returns its result.
    @discardableResult
    func call(
        _ method: String, _ arguments: String..., of name: String, at path: String, on bus: PrivateBus
    ) throws -> String {
        let result = try ChildProcess.run(
            "gdbus",
            ["call", "--address", bus.address, "--dest", name, "--object-path", path, "--method", method] + arguments,
            environment: environment, seconds: 20)
        guard result.status == 0 else { throw TestFailure("\(method) failed: \(result.output)") }
        return result.output
    }

    /// Emits a signal with one value, such as "<true>" of the signature "b".
    func emit(
        _ interface: String, _ member: String, _ signature: String, _ values: String, of name: String, at path: String,
        on bus: PrivateBus
    ) throws {
        try call(
            "org.freedesktop.DBus.Mock.EmitSignal", interface, member, signature, "[\(values)]", of: name, at: path,
            on: bus)
    }

    // MARK: The arbiter

    var status: String { get throws { try service.audiosession("status").output } }

    /// Whether `audiosession status` has a line with all of these soon.
    func shows(_ parts: String..., seconds: Double = 20) throws -> Bool {
        try eventually(seconds: seconds) {
            try status.split(separator: "\n").contains { line in parts.allSatisfy(line.contains) }
        }
    }

    /// Whether there are no sessions soon.
    func isEmpty() throws -> Bool { try eventually { try status.contains("sessions        none") } }

    /// The actions that the arbiter has decided, one in each line.
    var log: String { get throws { try service.audiosession("log").output } }
}
