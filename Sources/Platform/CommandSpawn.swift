internal import Foundation
package import Glibc

/// A command that a user gives to one of our programs, for a wrapper like `env` or `nice`. Its
/// words are bytes with a terminating zero, because arguments need not be valid UTF-8.
package struct CommandWords: Sendable {
    package let words: [[CChar]]

    /// Copies the last `count` arguments of this process.
    package init(lastArguments count: Int) {
        let all = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        words = all.suffix(count).compactMap { $0 }.map { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) }
    }

    package init(_ words: [String]) { self.words = words.map { Array($0.utf8CString) } }

    /// The command's name as it was given, for messages.
    package var name: String { words.first.map(Self.text) ?? "" }

    private static func text(_ bytes: [CChar]) -> String {
        String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Finds the program, as a shell does: a name without a slash on PATH.
    package func resolve() throws(CommandFailure) -> ResolvedCommand {
        guard let name = words.first, name.count > 1 else { throw .notFound("The command's name is empty") }
        guard !name.contains(CChar(UInt8(ascii: "/"))) else {
            switch Self.check(name) {
            case 0: return ResolvedCommand(path: name, words: self)
            case ENOENT, ENOTDIR: throw .notFound("The command '\(self.name)' does not exist")
            case let code: throw .cannotRun("The command '\(self.name)' cannot be run: \(systemErrorText(code))")
            }
        }
        var refusal: Int32?
        for folder in Self.searchPath {
            let path = (folder.isEmpty ? [] : folder + [CChar(UInt8(ascii: "/"))]) + name
            switch Self.check(path) {
            case 0: return ResolvedCommand(path: path, words: self)
            case ENOENT, ENOTDIR: continue
            case let code: refusal = refusal ?? code
            }
        }
        guard let refusal else { throw .notFound("The command '\(self.name)' is not on PATH") }
        throw .cannotRun("The command '\(self.name)' on PATH cannot be run: \(systemErrorText(refusal))")
    }

    /// Returns 0 if the file is an executable program, otherwise the error code of running it.
    private static func check(_ path: [CChar]) -> Int32 {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return errno }
        guard facts.st_mode & S_IFMT == S_IFREG else { return EACCES }
        return access(path, X_OK) == 0 ? 0 : errno
    }

    /// The folders of PATH; an empty one is the working directory.
    private static var searchPath: [ArraySlice<CChar>] {
        guard let path = getenv("PATH") else { return "/usr/bin:/bin".utf8CString.dropLast().split(separator: 58) }
        let bytes = Array(UnsafeBufferPointer(start: path, count: strlen(path)))
        return bytes.split(separator: CChar(UInt8(ascii: ":")), omittingEmptySubsequences: false)
    }
}

/// Why a command did not start; the text has no full stop.
package enum CommandFailure: Error, Equatable, Sendable {
    case notFound(String)
    case cannotRun(String)
}

/// A command whose program was found.
package struct ResolvedCommand: Sendable {
    let path: [CChar]
    let words: CommandWords

    /// Starts the command with this process's standard descriptors, with `signals` as its own, and
    /// with a variable added to the environment. Its process group is this one's, or its own.
    package func spawn(
        adding variable: (name: String, value: String), signals: InheritedSignals, inOwnGroup: Bool
    ) throws(CommandFailure) -> pid_t {
        switch spawn(path, words.words, variable, signals, inOwnGroup) {
        case .success(let child): return child
        case .failure(let failure) where failure.code == ENOEXEC:
            // A script without an interpreter line: the shell runs it, as in execvp(3).
            let shell = Array("/bin/sh".utf8CString)
            let rest = Array(words.words.dropFirst())
            if case .success(let child) = spawn(shell, [shell, path] + rest, variable, signals, inOwnGroup) {
                return child
            }
            throw .cannotRun("The command '\(words.name)' cannot be run: \(systemErrorText(ENOEXEC))")
        case .failure(let failure):
            let text = "The command '\(words.name)' cannot be run: \(systemErrorText(failure.code))"
            throw failure.code == ENOENT ? .notFound(text) : .cannotRun(text)
        }
    }

    private struct SpawnError: Error { let code: Int32 }

    private func spawn(
        _ path: [CChar], _ words: [[CChar]], _ variable: (name: String, value: String), _ signals: InheritedSignals,
        _ inOwnGroup: Bool
    ) -> Result<pid_t, SpawnError> {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (mask, defaults) = (signals.mask, signals.defaults)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (inOwnGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let copies = words.map { strdup($0) }
        let added = strdup("\(variable.name)=\(variable.value)")
        defer { (copies + [added]).forEach { free($0) } }
        var arguments = copies + [nil]
        var settings = inheritedVariables { $0 != variable.name } + [added, nil]
        var child = pid_t()
        let result = posix_spawn(&child, path, nil, &attributes, &arguments, &settings)
        return result == 0 ? .success(child) : .failure(SpawnError(code: result))
    }
}
