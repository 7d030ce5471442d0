import JackDriver
import SessionPolicy

@testable import SessionCommands

/// Virtual devices without processes.
final class FakePrograms: DevicePrograms {
    var reached: ServerView?
    private(set) var devices: [DeviceProgram] = []
    /// The error with which starting a device fails.
    var failure: CommandError?

    init(on server: ServerView? = nil) { reached = server }

    func server() -> ServerView? { reached }
    func running() -> [DeviceProgram] { devices }

    func start(_ device: DeviceProgram, on server: ServerView) throws(CommandError) {
        if let failure { throw failure }
        var device = device
        device.server = server.name
        device.process = Int32(9_000 + devices.count)
        devices.append(device)
    }

    func end(_ name: String) throws(CommandError) { devices.removeAll { $0.name == name } }

    static func server(_ name: String?, _ description: String = "jackd2 1.9.21") -> ServerView {
        ServerView(
            name: name,
            ServerFacts(description: description, sampleRate: 48_000, periodFrames: 1_024, outputs: 2, inputs: 0))
    }
}
