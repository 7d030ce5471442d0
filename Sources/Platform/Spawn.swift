// For `environ`, which C programs share between their threads without protection.
@preconcurrency package import Glibc

/// Starts a program without this process's blocked signals and signal handlers. Finds it on PATH if
/// `searchesPath` is true and its name has no slash.
///
/// `redirect` opens and copies descriptors in the child; it also inherits every descriptor that is
/// not close-on-exec, the working directory and those variables of the environment for whose names
/// `keepsVariable` returns true, with `environment` added. The caller reaps the process with
/// `reapProgram`.
package func spawnProgram(
    _ program: String, arguments: [String], environment: [String: String] = [:], searchesPath: Bool = false,
    keepsVariable: (String) -> Bool = { _ in true },
    redirect: (inout posix_spawn_file_actions_t) -> Void
) throws(SystemFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    redirect(&actions)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var words = ([program] + arguments).map { strdup($0) } + [nil]
    let added = environment.map { strdup("\($0)=\($1)") }
    defer { (words + added).forEach { free($0) } }
    var settings = inheritedVariables { environment[$0] == nil && keepsVariable($0) } + added + [nil]
    var child = pid_t()
    let start = searchesPath ? posix_spawnp : posix_spawn
    let result = start(&child, program, &actions, &attributes, &words, &settings)
    guard result == 0 else { throw SystemFailure("'\(program)' cannot be run: \(systemErrorText(result))") }
    return child
}

/// Returns this process's variables with names for which `keeps` returns true, byte for byte: they
/// need not be valid UTF-8.
func inheritedVariables(where keeps: (String) -> Bool) -> [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var next: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let variable = next?.pointee {
        let name = strcspn(variable, "=")
        let bytes = UnsafeRawBufferPointer(start: variable, count: Int(name))
        if keeps(String(decoding: bytes, as: UTF8.self)) { variables.append(variable) }
        next = next?.successor()
    }
    return variables
}

/// Waits until a child process has exited, and returns its exit status, or 128 plus the number of
/// the signal that ended it.
@discardableResult
package func reapProgram(_ child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) == -1, errno == EINTR { continue }
    return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
}
