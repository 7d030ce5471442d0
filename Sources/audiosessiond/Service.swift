import ArbiterService
import CSessionSocket
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
    /// Whether the service created the socket itself, instead of receiving it from systemd.
    private let ownsSocket: Bool

    /// Takes the lock, reads the settings and listens, but does not serve yet. Throws if another
    /// service is running, a settings file that was named does not exist, or the socket cannot be
    /// created. Settings that are invalid are logged; the defaults then apply.
    init(socketPath: String?, configurationPath: String?, isInForeground: Bool) throws(ServiceFailure) {
        umask(0o077)
        files = try ServiceFiles(socketPath: socketPath)
        lock = try Self.runningLock(files.runningLock)
        let log = ServiceLog(path: isInForeground ? nil : files.log)
        self.log = log
        let (settings, warnings) = try Self.settings(configurationPath)
        for warning in warnings { log.write(warning) }
        Self.raiseDescriptorLimit()
        let handedOver = HandedOverSocket.take()
        ownsSocket = handedOver == nil
        let listener: Int32
        if let handedOver { listener = handedOver } else { listener = try Self.listen(at: files.socket) }
        do throws(ArbiterError) {
            server = try ArbiterServer(
                listener: listener, settings: settings, folder: Self.ownFolder, statePath: files.state,
                permissions: PermissionStore.standard
            ) { log.write($0) }
        } catch {
            throw ServiceFailure(EX_UNAVAILABLE, error.description)
        }
        log.write("Listening at \(files.socket).")
    }

    /// Serves until a signal arrives, or until no client needs the service any longer.
    func run() {
        EndingSignals.stop(server)
        let starting = StartingLock(path: files.startingLock)
        let end = server.run(mayExit: starting.acquire, continues: starting.release)
        // Without the socket file, a process that is about to connect finds no service and starts
        // another.
        if ownsSocket { unlink(files.socket) }
        log.write(end == .idle ? "Exiting: no client has needed the service for a while." : "Stopped.")
        lock.unlock()
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

    /// Listens at the path. The lock guarantees that no other service listens, so a file at the
    /// path was left by a service that died.
    private static func listen(at path: String) throws(ServiceFailure) -> Int32 {
        unlink(path)
        let listener = ssocket_listen(path, 128)
        guard listener >= 0 else {
            throw ServiceFailure(
                EX_UNAVAILABLE,
                "Cannot listen at '\(path)': \(systemErrorText(-listener)). Use --socket with another path.")
        }
        return listener
    }

    private static var ownFolder: String {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return program.map { ($0 as NSString).deletingLastPathComponent } ?? ""
    }

    /// Sets the limit of open descriptors to 65,536, or to the hard limit if that is lower: a
    /// client takes two of them, and the usual limit is 1,024.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
