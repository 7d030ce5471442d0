internal import Foundation

/// The private folder of a user that contains sockets and locks for as long as the user is logged
/// in.
package enum RuntimeFolder {
    /// Creates the folder if it is missing and returns its path: `audiosession` in the runtime
    /// directory (`XDG_RUNTIME_DIR`); if that cannot be created or is not private to this user, a
    /// folder under /tmp whose name contains the user's id. Throws if the latter cannot be created,
    /// or is not private: another user might have created it first.
    package static func path(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(SystemFailure) -> String {
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
            let folder = runtime + "/audiosession"
            if mkdir(folder, 0o700) == 0 || errno == EEXIST, isPrivate(folder) { return folder }
        }
        let folder = "/tmp/audiosession-\(getuid())"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw SystemFailure("the folder '\(folder)' cannot be created: \(systemErrorText(errno))")
        }
        guard isPrivate(folder) else {
            throw SystemFailure(
                isOwn(folder)
                    ? "the mode of the folder '\(folder)' is not 700; run `chmod 700 \(folder)`"
                    : "'\(folder)' is not a private folder of this user; remove it")
        }
        return folder
    }

    /// Returns whether this is a folder and no link to one, belongs to this user, and is accessible
    /// to this user only.
    package static func isPrivate(_ folder: String) -> Bool { isOwn(folder) { $0 == 0o700 } }

    /// Returns whether this is a folder of this user with such a mode.
    private static func isOwn(_ folder: String, where hasMode: (mode_t) -> Bool = { _ in true }) -> Bool {
        var facts = stat()
        guard lstat(folder, &facts) == 0 else { return false }
        return facts.st_mode & S_IFMT == S_IFDIR && facts.st_uid == getuid() && hasMode(facts.st_mode & 0o777)
    }
}
