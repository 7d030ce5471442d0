public import AudioRendering
public import Foundation

/// A virtual device in a separate process: `audiosession-device`. It is plugged in as long as the
/// object lives.
public final class VirtualDevice: Sendable {
    /// The signal source of the device's inputs.
    public enum Sound: Sendable {
        case silence
        /// `Signal.counting`, repeated.
        case ramp
        /// A sine at half of full scale.
        case tone(hertz: Double)
        case file(String)
    }

    public let name: String
    private let process: ChildProcess
    private let folder: TemporaryDirectory
    private let outputs: Int

    /// Plugs the device in; its ports exist on return. `environment` is that of a server. With
    /// `captures`, the device records what it receives.
    public init(
        _ name: String, kind: PortType, on environment: [String: String], outputs: Int = 2, inputs: Int = 0,
        latency: Int = 0, sound: Sound = .silence, captures: Bool = false, comesBack: Bool = false
    ) throws {
        self.name = name
        self.outputs = outputs
        folder = try TemporaryDirectory()
        var arguments = [
            "--name", name, "--type", kind.rawValue, "--outputs", "\(outputs)", "--inputs", "\(inputs)", "--latency",
            "\(latency)", "--ready-fd", "101",
        ]
        switch sound {
        case .silence: break
        case .ramp: arguments.append("--ramp")
        case .tone(let hertz): arguments += ["--tone", "\(hertz)"]
        case .file(let path): arguments += ["--source", path]
        }
        if captures { arguments += ["--capture", folder.file("arrived.wav")] }
        if comesBack { arguments.append("--return") }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestFailure("Cannot create a socket pair.")
        }
        defer { close(ends[0]) }
        do {
            defer { close(ends[1]) }
            process = try ChildProcess(
                try Self.program(), arguments, environment: environment, inheriting: ends[1])
        }
        let readiness = Self.read(from: ends[0])
        guard readiness == "ready\n" else {
            throw TestFailure("Cannot plug in the device '\(name)'. Its output: \(readiness)\(process.output)")
        }
    }

    deinit { if !hasEnded { kill() } }

    /// Returns the path of the program, which is built with these tests.
    public static func program() throws -> String {
        try BuiltProgram.path("audiosession-device")
    }

    public var identifier: pid_t { process.identifier }
    /// The path of the recording, if there is one: a growing WAV file of 32-bit floats.
    public var capturePath: String { folder.file("arrived.wav") }
    public var hasEnded: Bool { process.waitForEnd(seconds: 0) }
    /// The program's messages.
    public var output: String { process.output }

    /// Kills the process: the device disappears without notice, as when its cable is pulled.
    public func kill() {
        process.send(SIGKILL)
        process.reap()
    }

    /// Unplugs the device in order. Returns the exit status: 0, or 74 if the recording is
    /// incomplete.
    @discardableResult
    public func stop() -> Int32 {
        process.send(SIGTERM)
        if !process.waitForEnd(seconds: 10) { process.send(SIGKILL) }
        return process.reap()
    }

    /// Waits until the process has ended, as it does with its server. Returns its status, or nil if
    /// it is still running.
    public func waitForEnd(seconds: Double = 10) -> Int32? {
        process.waitForEnd(seconds: seconds) ? process.reap() : nil
    }

    /// Returns the recording so far by channel, from its first cycle on or its last frames: the
    /// bits of the file, without the library's reader.
    public func captured(last: Int = .max) throws -> [[Float]] {
        let samples = try SoundFile.readRaw(capturePath, channels: outputs, last: last)
        let frames = samples.count / outputs
        return (0..<outputs).map { channel in (0..<frames).map { samples[$0 * outputs + channel] } }
    }

    /// Returns everything that the other end writes until it closes, or until the time is over.
    private static func read(from descriptor: Int32) -> String {
        var received: [UInt8] = []
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let result = poll(&watched, 1, 20_000)
            if result == -1, errno == EINTR { continue }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = result > 0 ? Glibc.read(descriptor, &bytes, bytes.count) : 0
            guard count > 0 else { return String(decoding: received, as: UTF8.self) }
            received += bytes[..<count]
        }
    }
}
