internal import Foundation

/// The folder of this user's alone in which sockets and locks lie while the user is there.
package enum RuntimeFolder {
    /// Makes it where it is missing, and says where it is: `audiosession` in the runtime directory (`XDG_RUNTIME_DIR`), else one under /tmp
    /// that bears the user's number, where somebody else might have made it first. Throws when that is not this user's alone.
    package static func path(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SystemFailure) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            let folder = runtime + "/audiosession"
            if mkdir(folder, 0o700) == 0 || errno == EEXIST, isPrivate(folder) { return folder }
        }
        let folder = "/tmp/audiosession-\(getuid())"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw SystemFailure("the folder '\(folder)' cannot be made: \(systemErrorText(errno))")
        }
        guard isPrivate(folder) else {
            throw SystemFailure("'\(folder)' is not a folder of this user's alone; remove it")
        }
        return folder
    }

    /// Whether it is a folder itself, no link to one, and nobody else's or open to others.
    package static func isPrivate(_ folder: String) -> Bool {
        var facts = stat()
        guard lstat(folder, &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFDIR && facts.st_uid == getuid() && facts.st_mode & 0o077 == 0
    }
}
