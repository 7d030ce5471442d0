internal import Foundation
internal import JackDriver
internal import Platform
public import SessionPolicy

/// Virtual devices on an audio server; each is a process of the program `audiosession-device`
/// (SIM-4).
public protocol DevicePrograms {
    /// Returns the server on which a virtual device would be plugged in; nil if none is running.
    func server() -> ServerView?
    /// Returns the virtual devices that are running.
    func running() -> [DeviceProgram]
    /// Starts a virtual device. Returns when its ports are registered.
    func start(_ device: DeviceProgram, on server: ServerView) throws(CommandError)
    /// Ends the virtual devices of that name and waits until their processes have exited.
    func end(_ name: String) throws(CommandError)
}

/// The options of a virtual device's program.
public struct DeviceProgram: Equatable, Sendable {
    public var name: String
    /// The port type; nil if it is unknown.
    public var type: PortType?
    public var outputs: Int
    public var inputs: Int
    /// The name of the server; nil for the default one.
    public var server: String?
    /// The process id; nil if the program is not running yet.
    public var process: Int32?
}

/// The virtual devices of this machine.
public struct RealDevicePrograms: DevicePrograms {
    /// The time limit for a program to start, and to exit.
    private static let timeoutSeconds = 10.0

    public init() {}

    public func server() -> ServerView? {
        let server = ManagedServers.look()
        return server.reachable ? server : nil
    }

    public func running() -> [DeviceProgram] {
        let processes = ProgramProcess.all(.device)
        defer { processes.forEach { close($0.descriptor) } }
        let isPipeWire = JackDriver.libraryVersion.contains("PipeWire")
        return processes.compactMap { process in
            guard let name = process.option("--name") else { return nil }
            return DeviceProgram(
                name: name, type: process.option("--type").flatMap(PortType.init(rawValue:)),
                outputs: process.option("--outputs").flatMap { Int($0) } ?? 2,
                inputs: process.option("--inputs").flatMap { Int($0) } ?? 0,
                server: process.option("--server") ?? (isPipeWire ? ServerView.pipeWire : nil),
                process: process.process)
        }
    }

    public func start(_ device: DeviceProgram, on server: ServerView) throws(CommandError) {
        var arguments = ["--detach", "--name", device.name]
        if let type = device.type { arguments += ["--type", type.rawValue] }
        arguments += ["--outputs", String(device.outputs), "--inputs", String(device.inputs)]
        if let name = server.name { arguments += ["--server", name] }
        do throws(SystemFailure) {
            let program = try ProgramLaunch.find(
                ProgramProcess.Program.device.rawValue, orNamedBy: "AUDIOSESSION_DEVICE")
            try ProgramLaunch.run(program, arguments: arguments, timeoutSeconds: Self.timeoutSeconds)
        } catch {
            throw CommandError(
                .unavailable,
                """
                Cannot plug in '\(device.name)' on \(server.title): \(error.reason). With --policy-only, the device is \
                plugged in for the policy only, without sound.
                """)
        }
    }

    public func end(_ name: String) throws(CommandError) {
        let processes = ProgramProcess.all(.device) { $0.option("--name") == name }
        defer { processes.forEach { close($0.descriptor) } }
        for process in processes { process.terminate() }
        for process in processes where !process.waitForEnd(seconds: Self.timeoutSeconds) {
            throw CommandError(
                .tryAgain,
                """
                '\(name)' did not exit within \(Int(Self.timeoutSeconds)) s; \
                end it with `kill -KILL \(process.process)`.
                """)
        }
    }
}
