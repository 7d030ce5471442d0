public import AudioRendering
public import Foundation

/// A device that is none, in a process of its own: `audiosession-device`. It is plugged in as long as the object lives.
public final class StandIn: Sendable {
    /// What comes from its air.
    public enum Sound: Sendable {
        case silence
        /// `Signal.counting`, over and over.
        case ramp
        /// A sine of half the full scale.
        case tone(hertz: Double)
        case file(String)
    }

    public let name: String
    private let process: ChildProcess
    private let folder: TemporaryDirectory
    private let outputs: Int

    /// Plugs it in: its ports are there on return. `environment` is that of a server, and `captures` has what arrives kept.
    public init(
        _ name: String, kind: HardwareKind, on environment: [String: String], outputs: Int = 2, inputs: Int = 0,
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
            throw TestFailure("There is no socket pair to be had.")
        }
        defer { close(ends[0]) }
        do {
            defer { close(ends[1]) }
            process = try ChildProcess(
                try Self.program(), arguments, environment: environment, inheriting: ends[1])
        }
        let said = Self.read(from: ends[0])
        guard said == "ready\n" else {
            throw TestFailure("The device '\(name)' cannot be plugged in. It said: \(said)\(process.output)")
        }
    }

    deinit { if !hasEnded { kill() } }

    /// The program, beside these tests.
    public static func program() throws -> String {
        try BuiltProgram.path("audiosession-device")
    }

    public var identifier: pid_t { process.identifier }
    /// Where what arrives is kept, if it is: a WAV file of 32-bit floats that grows.
    public var capturePath: String { folder.file("arrived.wav") }
    public var hasEnded: Bool { process.waitForEnd(seconds: 0) }
    /// What it complained about.
    public var output: String { process.output }

    /// Pulls the cable: no word to anybody.
    public func kill() {
        process.send(SIGKILL)
        process.reap()
    }

    /// Unplugs it in order, and returns its status: 0, or 74 when not all that arrived was kept.
    @discardableResult
    public func stop() -> Int32 {
        process.send(SIGTERM)
        if !process.waitForEnd(seconds: 10) { process.send(SIGKILL) }
        return process.reap()
    }

    /// Waits for its end, as that of its server is; nil when it runs on.
    public func waitForEnd(seconds: Double = 10) -> Int32? {
        process.waitForEnd(seconds: seconds) ? process.reap() : nil
    }

    /// What arrived so far, channel by channel, from its first cycle on or the last of it: its file's bits, no reader in between.
    public func captured(last: Int = .max) throws -> [[Float]] {
        let samples = try SoundFile.readRaw(capturePath, channels: outputs, last: last)
        let frames = samples.count / outputs
        return (0..<outputs).map { channel in (0..<frames).map { samples[$0 * outputs + channel] } }
    }

    /// All that the other end says until it closes, or the time is over.
    private static func read(from descriptor: Int32) -> String {
        var said: [UInt8] = []
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let result = poll(&watched, 1, 20_000)
            if result == -1, errno == EINTR { continue }
            var bytes = [UInt8](repeating: 0, count: 512)
            let count = result > 0 ? Glibc.read(descriptor, &bytes, bytes.count) : 0
            guard count > 0 else { return String(decoding: said, as: UTF8.self) }
            said += bytes[..<count]
        }
    }
}
