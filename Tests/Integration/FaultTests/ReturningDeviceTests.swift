import AudioRendering
import Foundation
import TestSupport
import Testing

/// `audiosession-device` on the fake libjack: the server ends, and refuses the device when it
/// returns.
@Suite("A device whose server returns")
struct ReturningDeviceTests {
    private let folder: TemporaryDirectory
    private let script: String

    init() throws {
        folder = try TemporaryDirectory()
        script = folder.file("script")
    }

    /// Replaces the script immediately. The device reads it each time it starts again.
    private func write(_ line: String) throws {
        try line.write(toFile: script, atomically: true, encoding: .utf8)
    }

    private func environment() throws -> [String: String] {
        [
            "LD_LIBRARY_PATH": URL(fileURLWithPath: try Runner.libraryPath).deletingLastPathComponent().path,
            "FAKE_JACK_SCRIPT": script,
        ]
    }

    /// Returns how many times in a row the server has refused the device since it ended; nil before
    /// that.
    private func refusals(of device: VirtualDevice) -> Int? {
        readText("/proc/\(device.identifier)/environ").split(separator: "\0")
            .first { $0.hasPrefix("AUDIOSESSION_DEVICE_AGAIN=") }
            .flatMap { Int($0.drop { $0 != "=" }.dropFirst()) }
    }

    @Test(
        "It retries if the server refuses its client, a port or its activation",
        arguments: ["client_open every 2", "port_register 2", "activate 1"])
    func refused(call: String) throws {
        try write("cycle 20 die info")
        let device = try VirtualDevice(
            "Phones", kind: .headphones, on: try environment(), captures: true, comesBack: true)
        try write("fail \(call)")
        #expect(eventually { (refusals(of: device) ?? 0) >= 2 }, "\(device.output)")
        try write("")
        // A file that has just been created again cannot be read yet.
        #expect(eventually { ((try? device.captured()[0].count) ?? 0) >= 4_096 }, "\(device.output)")
        #expect(device.stop() == 0)
        #expect(device.output.isEmpty, "\(device.output)")
    }

    @Test("The device exits after a hundred refusals, and at once if refused on its first start")
    func refusedForGood() throws {
        try write("fail port_register every")
        var environment = try environment()
        let arguments = ["--name", "Phones", "--type", "headphones", "--return"]
        let program = try BuiltProgram.path("audiosession-device")
        for variables in [[:], ["AUDIOSESSION_DEVICE_AGAIN": "98"]] {
            environment.merge(variables) { $1 }
            let (status, output) = try ChildProcess.run(program, arguments, environment: environment)
            #expect(status == 69)
            #expect(output.hasPrefix("audiosession-device: ") && output.contains("Phones"), "\(output)")
        }
    }
}
