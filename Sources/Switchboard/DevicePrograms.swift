internal import Foundation
internal import JackDriver
internal import Platform
public import SessionPolicy

/// Stand-in devices that are heard: each a program of its own on an audio server, `audiosession-device` (SIM-4).
public protocol DevicePrograms {
    /// The server on which one would be plugged in; nil: none runs.
    func server() -> ServerView?
    /// Those that run.
    func running() -> [DeviceProgram]
    /// Starts one, and returns when its ports are there.
    func start(_ device: DeviceProgram, on server: ServerView) throws(SwitchboardError)
    /// Ends those of that name, and waits for that.
    func end(_ name: String) throws(SwitchboardError)
}

/// What a stand-in's program was told to be.
public struct DeviceProgram: Equatable, Sendable {
    public var name: String
    /// A type of port; nil where that cannot be told.
    public var type: PortType?
    public var outputs: Int
    public var inputs: Int
    /// nil: the default one.
    public var server: String?
    /// nil: it does not run yet.
    public var process: Int32?
}

/// The programs of this machine.
public struct RealDevicePrograms: DevicePrograms {
    /// Seconds that one has to begin, and to end.
    private static let limit = 10.0

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

    public func start(_ device: DeviceProgram, on server: ServerView) throws(SwitchboardError) {
        var arguments = ["--detach", "--name", device.name]
        if let type = device.type { arguments += ["--type", type.rawValue] }
        arguments += ["--outputs", String(device.outputs), "--inputs", String(device.inputs)]
        if let name = server.name { arguments += ["--server", name] }
        do throws(SystemFailure) {
            let program = try ProgramLaunch.find(
                ProgramProcess.Program.device.rawValue, orNamedBy: "AUDIOSESSION_DEVICE")
            try ProgramLaunch.run(program, arguments: arguments, limit: Self.limit)
        } catch {
            throw SwitchboardError(
                .unavailable,
                """
                '\(device.name)' was to be plugged in on \(server.title): \(error.reason). With --policy-only it is plugged in for the \
                rules alone.
                """)
        }
    }

    public func end(_ name: String) throws(SwitchboardError) {
        let processes = ProgramProcess.all(.device) { $0.option("--name") == name }
        defer { processes.forEach { close($0.descriptor) } }
        for process in processes { process.terminate() }
        for process in processes where !process.waitForEnd(seconds: Self.limit) {
            throw SwitchboardError(
                .tryAgain,
                """
                '\(name)' was asked to unplug and has not within \(Int(Self.limit)) s; `kill -KILL \(process.process)` pulls it out.
                """)
        }
    }
}
