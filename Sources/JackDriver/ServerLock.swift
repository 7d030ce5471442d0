internal import AudioRendering
internal import Foundation

/// The lock of a managed server: held by who connects or starts, and by the server while it leaves.
struct ServerLock {
    /// The lock file.
    let path: String
    private let descriptor: Int32

    /// Waits for the lock and takes it.
    init(serverName: String) throws(DriverError) {
        path = try Self.privateFolder() + "/" + serverName.replacingOccurrences(of: "/", with: "_") + ".lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw .cannotStartServer(reason: "the lock file '\(path)' cannot be opened: \(systemErrorText(errno))")
        }
        while flock(descriptor, LOCK_EX) != 0 {
            let code = errno
            guard code == EINTR else {
                Glibc.close(descriptor)
                throw .cannotStartServer(reason: "the lock file '\(path)' cannot be locked: \(systemErrorText(code))")
            }
        }
    }

    func unlock() { close(descriptor) }

    /// A folder of this user's alone: within the runtime directory, else under /tmp, where somebody else might have made it first.
    private static func privateFolder() throws(DriverError) -> String {
        if let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"], !runtime.isEmpty {
            let folder = runtime + "/audiosession"
            if mkdir(folder, 0o700) == 0 || errno == EEXIST, isPrivate(folder) { return folder }
        }
        let folder = "/tmp/audiosession-\(getuid())"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw .cannotStartServer(reason: "the folder '\(folder)' cannot be made: \(systemErrorText(errno))")
        }
        guard isPrivate(folder) else {
            throw .cannotStartServer(reason: "'\(folder)' is not a folder of this user's alone; remove it")
        }
        return folder
    }

    private static func isPrivate(_ folder: String) -> Bool {
        var facts = stat()
        guard lstat(folder, &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFDIR && facts.st_uid == getuid() && facts.st_mode & 0o077 == 0
    }
}

/// What the system calls an error.
func systemErrorText(_ code: Int32) -> String { String(cString: strerror(code)) }
