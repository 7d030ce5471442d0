internal import AudioRendering
internal import Foundation
internal import Platform

/// The JACK server that apps share if no other server is running: a process of its own
/// (`audiosession-server`). The first app that needs it starts it, and it exits some seconds after
/// the last client has left.
public struct ManagedServer: Equatable, Sendable {
    /// The device that the server plays on.
    public enum Device: String, Sendable {
        /// The first sound card if one can be opened, otherwise none.
        case automatic = "auto"
        /// The first sound card.
        case soundCard = "alsa"
        /// No device, only a clock.
        case none = "dummy"
    }

    /// The server's name: 1 to 31 letters, digits, `-`, `_` or `.`.
    public var name: String
    /// The sample rate in Hz, applied when the server is started.
    public var sampleRate: Int
    /// Frames per period, applied when the server is started.
    public var periodFrames: Int
    /// The device, applied when the server is started.
    public var device: Device
    /// Seconds without clients after which the server exits; 0: never. Applied when the server is
    /// started.
    public var idleExit: Int
    /// The program to start; nil: the one that `AUDIOSESSION_SERVER` names, otherwise
    /// `audiosession-server` in the folder of the running program or on PATH.
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

    /// Runs `connect`, and starts the server first if `connect` finds none. If several processes
    /// need the server, one of them starts it. The server cannot exit meanwhile, because it takes
    /// the same lock to exit. `onLaunch` is called before this call starts the server, and before
    /// it waits for the lock, which another process may hold to start the server.
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
            // The server may have been started by hand meanwhile; if not, the reason why the launch
            // failed is the error to throw.
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

    /// The option for the control socket. A path that is too long for a socket is left out; the
    /// server then keeps the rate it was started with.
    private var controlArguments: [String] {
        guard let path = try? runtimePath("control"), path.utf8.count <= ServerControl.pathLimit else { return [] }
        return ["--control", path]
    }

    /// Returns the path of the server's file of that kind.
    func runtimePath(_ kind: String) throws(SystemFailure) -> String {
        try RuntimeFolder.path() + "/" + name.replacingOccurrences(of: "/", with: "_") + "." + kind
    }

    /// Seconds that the server may take to start; opening a sound card can take some of them.
    static let launchLimit = 10.0

    /// Takes the lock that a process holds while it connects to or starts the server, and the
    /// server while it exits.
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
            try ProgramLaunch.run(
                executable, arguments: arguments(lockPath: lockPath), timeoutSeconds: Self.launchLimit)
        } catch {
            throw .cannotStartServer(reason: error.reason)
        }
    }
}
