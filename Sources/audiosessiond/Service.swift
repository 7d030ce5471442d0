import ArbiterConfiguration
import CSessionSocket
import Foundation
import Platform
import SessionArbiter

/// The service: settings, socket, log, signals, and the server in their midst.
struct Service {
    private let server: ArbiterServer
    private let files: ServiceFiles
    private let log: ServiceLog
    private let lock: RunningLock
    /// The socket is its own, not one that was handed over.
    private let ownsSocket: Bool

    init(socketPath: String?, configurationPath: String?, isInForeground: Bool) throws(ServiceFailure) {
        umask(0o077)
        files = try ServiceFiles(socketPath: socketPath)
        lock = try RunningLock(path: files.runningLock)
        let log = ServiceLog(path: isInForeground ? nil : files.log)
        self.log = log
        let (settings, warnings) = try Self.settings(configurationPath)
        for warning in warnings { log.note(warning) }
        Self.raiseDescriptorLimit()
        let handedOver = HandedOverSocket.take()
        ownsSocket = handedOver == nil
        let listener: Int32
        if let handedOver { listener = handedOver } else { listener = try Self.listen(at: files.socket) }
        do throws(ArbiterError) {
            server = try ArbiterServer(
                listener: listener, settings: settings, folder: Self.ownFolder, statePath: files.state,
                permissions: PermissionStore.standard
            ) { log.note($0) }
        } catch {
            throw ServiceFailure(EX_UNAVAILABLE, error.description)
        }
        log.note("Serving at \(files.socket).")
    }

    /// Serves until a signal comes, or until nobody needs it any longer.
    func run() {
        EndingSignals.stop(server)
        let starting = StartingLock(path: files.startingLock)
        let end = server.run(mayLeave: starting.take, stays: starting.release)
        // With the socket goes what could be found; whoever is about to connect finds nobody and starts another.
        if ownsSocket { unlink(files.socket) }
        log.note(end == .idle ? "Nobody needs it any longer." : "Stopped.")
        lock.unlock()
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

    /// The lock says that no other listens: what lies at the path is what a dead one left.
    private static func listen(at path: String) throws(ServiceFailure) -> Int32 {
        unlink(path)
        let listener = ssocket_listen(path, 128)
        guard listener >= 0 else {
            throw ServiceFailure(
                EX_UNAVAILABLE,
                "It cannot listen at '\(path)': \(systemErrorText(-listener)); name another by --socket.")
        }
        return listener
    }

    private static var ownFolder: String {
        let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return program.map { ($0 as NSString).deletingLastPathComponent } ?? ""
    }

    /// Two descriptors a client, where the usual limit is 1,024.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
