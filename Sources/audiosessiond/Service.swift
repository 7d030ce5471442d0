import ArbiterService
import Foundation
import Platform
import SessionArbiter

/// The service: settings, socket, log, signals and the server.
struct Service {
    private let server: ArbiterServer
    private let files: ServiceFiles
    private let log: ServiceLog
    /// Held for as long as the service runs, so that there is only one at a time.
    private let lock: FileLock
    /// Nil if the service received its socket from systemd.
    private let socketWatch: SocketWatch?

    /// Takes the lock, reads the settings and listens, but does not serve yet. Throws if another
    /// service is running, a settings file that was named does not exist, or the socket cannot be
    /// created. Settings that are invalid are logged; the defaults then apply.
    init(socketPath: String?, configurationPath: String?, isInForeground: Bool) throws(ServiceFailure) {
        umask(0o077)
        try Self.requireResources()
        files = try ServiceFiles(socketPath: socketPath)
        lock = try Self.runningLock(files.runningLock)
        let log = ServiceLog(path: isInForeground ? nil : files.log)
        self.log = log
        let (settings, warnings) = try Self.settings(configurationPath)
        for warning in warnings { log.write(warning) }
        let listener: Int32
        if let handedOver = HandedOverSocket.take() {
            listener = handedOver
            socketWatch = nil
        } else {
            let watch = try Self.listen(at: files.socket, lock)
            listener = watch.listener
            socketWatch = watch
        }
        do throws(ArbiterError) {
            server = try ArbiterServer(
                listener: listener, socketWatch: socketWatch, settings: settings, folder: Self.ownFolder,
                statePath: files.state,
                permissions: PermissionStore.standard,
                mediaControl: settings.servesMediaControl ? Self.mediaControl(at: files.socket, log) : nil
            ) { log.write($0) }
        } catch {
            throw ServiceFailure(EX_UNAVAILABLE, "Cannot start: \(error.reason).")
        }
        log.write("Listening at \(files.socket).")
    }

    /// The program that serves the desktop's media control; nil if it is not installed.
    private static func mediaControl(at socket: String, _ log: ServiceLog) -> MediaControl.Program? {
        let environment = ProcessInfo.processInfo.environment
        let hasAddress = environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false
        let bus = environment["XDG_RUNTIME_DIR"].map { $0 + "/bus" }
        do throws(SystemFailure) {
            return MediaControl.Program(
                path: try ProgramLaunch.find("audiosession-mpris", orNamedBy: "AUDIOSESSION_MPRIS"),
                arguments: ["--socket", socket]
            ) { hasAddress || bus.map(FileManager.default.fileExists) == true }
        } catch {
            log.write("The desktop's media control is not served: \(error.reason).")
            return nil
        }
    }

    /// Serves until a signal arrives, no client needs the service any longer, or another service
    /// has taken the place of this one. The end of the process releases the lock.
    func run() {
        EndingSignals.stop(server)
        let starting = StartingLock(path: files.startingLock)
        let end = server.run(mayExit: starting.acquire, continues: starting.release)
        socketWatch?.removeSocket()
        switch end {
        case .idle: log.write("Exiting: no client has needed the service for a while.")
        case .stopped: log.write("Stopped.")
        case .replaced: log.write("Exiting: the lock was removed, and another audiosessiond has taken it.")
        }
    }

    private static func runningLock(_ path: String) throws(ServiceFailure) -> FileLock {
        do throws(SystemFailure) {
            if let lock = try FileLock(ifFree: path) { return lock }
        } catch {
            throw ServiceFailure(EX_UNAVAILABLE, "Cannot start: \(error.reason).")
        }
        throw ServiceFailure(EX_TEMPFAIL, "Another audiosessiond is already running there; it holds '\(path)'.")
    }

    private static func settings(
        _ path: String?
    ) throws(ServiceFailure) -> (settings: ServiceSettings, warnings: [String]) {
        do throws(ConfigurationError) {
            return try startingServiceSettings(from: path)
        } catch {
            throw ServiceFailure(EX_NOINPUT, error.description)
        }
    }

    private static func listen(at path: String, _ lock: FileLock) throws(ServiceFailure) -> SocketWatch {
        do throws(SystemFailure) {
            return try SocketWatch(path: path, lock: lock)
        } catch {
            throw ServiceFailure(EX_UNAVAILABLE, "Cannot start: \(error.reason); use --socket with another path.")
        }
    }

    private static var ownFolder: String {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return program.map { ($0 as NSString).deletingLastPathComponent } ?? ""
    }

    /// The maximum limit of open descriptors, which is set unless the hard limit is lower: a client
    /// takes two of them, and the usual limit is 1,024.
    static let descriptorLimit: UInt = 65_536
    /// The number of clients for which the limit must suffice, and the descriptors that the service
    /// needs in addition.
    private static let (minimumClients, ownDescriptors) = (64, 32)

    /// The size in bytes that its files must be able to have, which include memory files.
    private static let minimumFileSize = 16 << 20

    /// Throws if a limit lets the service serve few clients only, or none. A service that an app
    /// with such a limit has started would refuse all others; without one, the next app starts its
    /// own.
    private static func requireResources() throws(ServiceFailure) {
        let needed = 2 * minimumClients + ownDescriptors
        let files = limit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue))
        guard files >= needed else {
            throw ServiceFailure(
                EX_UNAVAILABLE,
                """
                Cannot start: the hard limit of \(files) open files does not suffice for \(minimumClients) clients, \
                which need \(needed); start audiosessiond without that limit (ulimit -n).
                """)
        }
        let size = limit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue))
        guard size >= minimumFileSize else {
            throw ServiceFailure(
                EX_UNAVAILABLE,
                """
                Cannot start: the hard limit of \(size) bytes for files does not suffice, \(minimumFileSize) are \
                needed; start audiosessiond without that limit (ulimit -f).
                """)
        }
    }

    private static func limit(_ resource: __rlimit_resource_t) -> rlim_t {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit.rlim_cur : .max
    }
}
