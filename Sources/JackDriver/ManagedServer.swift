internal import AudioRendering
internal import Foundation
internal import Platform

/// The JACK server that apps share where nobody runs one: a process of its own (`audiosession-server`), started by the first
/// app that needs it, gone some seconds after the last.
public struct ManagedServer: Equatable, Sendable {
    /// Which device the server plays on.
    public enum Device: String, Sendable {
        /// The first sound card if one opens, else none.
        case automatic = "auto"
        /// The first sound card.
        case soundCard = "alsa"
        /// No device: a clock only.
        case none = "dummy"
    }

    /// The server's name: 1 to 31 letters, digits, `-`, `_` or `.`.
    public var name: String
    /// Frames per second, used when it is started.
    public var sampleRate: Int
    /// Frames per period, used when it is started.
    public var periodFrames: Int
    /// Used when it is started.
    public var device: Device
    /// Seconds without clients after which it leaves; 0: never. Used when it is started.
    public var idleExit: Int
    /// The program to start; nil: what `AUDIOSESSION_SERVER` names, else `audiosession-server` beside the running program, else on PATH.
    public var executable: String?

    public init(
        name: String = "audiosession", sampleRate: Int = 48_000, periodFrames: Int = 1024, device: Device = .automatic,
        idleExit: Int = 10, executable: String? = nil
    ) {
        self.name = name
        self.sampleRate = sampleRate
        self.periodFrames = periodFrames
        self.device = device
        self.idleExit = idleExit
        self.executable = executable
    }

    /// Runs `connect`, starting the server first if `connect` finds none. Of several processes one starts it; and it does not leave meanwhile,
    /// since it takes the same lock for that. `onLaunch` is called before it is started, here or by another process that is waited for.
    func whileRunning<Client>(
        onLaunch: () -> Void = {}, _ connect: () throws(DriverError) -> Client
    ) throws(DriverError) -> Client {
        let lock = try lock(onWait: onLaunch)
        defer { lock.unlock() }
        do throws(DriverError) {
            return try connect()
        } catch {
            guard case .noServer = error else { throw error }
        }
        let executable = try findExecutable()
        onLaunch()
        do throws(DriverError) {
            try launch(executable, lockPath: lock.path)
        } catch {
            // Somebody may have started it by hand meanwhile; else the reason why it did not start is what counts.
            do throws(DriverError) { return try connect() } catch _ { throw error }
        }
        return try connect()
    }

    private func arguments(lockPath: String) -> [String] {
        [
            "--name", name, "--driver", device.rawValue, "--rate", String(sampleRate), "--period", String(periodFrames),
            "--idle-exit", String(idleExit), "--lock", lockPath, "--detach",
        ] + controlArguments
    }

    /// A path that is too long for a socket is left out: then the server runs with the rate it was started with.
    private var controlArguments: [String] {
        guard let path = try? runtimePath("control"), path.utf8.count <= ServerControl.pathLimit else { return [] }
        return ["--control", path]
    }

    /// Where the server's file of that kind lies.
    func runtimePath(_ kind: String) throws(SystemFailure) -> String {
        try RuntimeFolder.path() + "/" + name.replacingOccurrences(of: "/", with: "_") + "." + kind
    }

    /// Seconds that it may take to start: a sound card may take some to open.
    static let launchLimit = 10.0

    /// Held by who connects or starts, and by the server while it leaves.
    private func lock(onWait: () -> Void) throws(DriverError) -> FileLock {
        do throws(SystemFailure) {
            return try FileLock(path: try runtimePath("lock"), onWait: onWait)
        } catch {
            throw .cannotStartServer(reason: error.reason)
        }
    }

    private func findExecutable() throws(DriverError) -> String {
        do throws(SystemFailure) {
            if let executable { return try ProgramLaunch.check(executable) }
            return try ProgramLaunch.find("audiosession-server", orNamedBy: "AUDIOSESSION_SERVER")
        } catch {
            throw .cannotStartServer(reason: error.reason)
        }
    }

    private func launch(_ executable: String, lockPath: String) throws(DriverError) {
        do throws(SystemFailure) {
            try ProgramLaunch.run(executable, arguments: arguments(lockPath: lockPath), limit: Self.launchLimit)
        } catch {
            throw .cannotStartServer(reason: error.reason)
        }
    }
}
