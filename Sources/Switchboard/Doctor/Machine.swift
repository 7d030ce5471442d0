internal import Foundation
public import SessionArbiter

/// What the doctor looks at. In tests, one that was made up.
public struct Machine: Sendable {
    /// What stands before the paths of files; "" on a real machine.
    public var root = ""
    public var user: UInt32 = 0
    /// The priority that this user may ask for, 0…99.
    public var realtimePriority = 0
    /// Bytes that this user may lock; nil: any.
    public var lockedMemory: Int?
    public var environment: [String: String] = [:]
    /// The version of the JACK library that the loader chose.
    public var jackLibrary = ""
    /// Looks for a server: the default one, else the managed one.
    public var server: @Sendable () -> ServerView = { ServerView(name: nil, unreachable: "nobody looked") }
    /// Looks for the arbiter.
    public var arbiter: @Sendable () -> ArbiterSight = { .absent(path: "") }
    /// Where a program is that can be run, nil: nowhere.
    public var program: @Sendable (_ name: String) -> String? = { _ in nil }
    /// The file of settings.
    public var configuration = ""

    public init() {}

    /// What of the arbiter there is to see.
    public enum ArbiterSight: Sendable {
        /// No socket is there: none runs.
        case absent(path: String)
        /// A socket without anybody who listens.
        case stale(path: String)
        case running(ArbiterReport, path: String)
        /// Somebody listens, and does not answer as he should.
        case silent(reason: String)
    }

    /// What a file holds, nil when it cannot be read; the first bytes only.
    func bytes(_ path: String) -> [UInt8]? {
        guard let file = FileHandle(forReadingAtPath: root + path) else { return nil }
        guard let data = try? file.read(upToCount: 1 << 18) else { return nil }
        return Array(data)
    }

    /// The same as text, without white space around.
    func text(_ path: String) -> String? {
        bytes(path).map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// The names in a folder; empty when there is none.
    func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
    }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + path) }

    func mayWrite(_ path: String) -> Bool { access(root + path, R_OK | W_OK) == 0 }

    /// Whose a file is, and what others may do with it; nil when it is not there.
    func owner(_ path: String) -> (user: UInt32, mode: UInt32, isFolder: Bool)? {
        var facts = stat()
        guard lstat(root + path, &facts) == 0 else { return nil }
        return (facts.st_uid, facts.st_mode & 0o777, facts.st_mode & S_IFMT == S_IFDIR)
    }

    /// Where the user's own files of this session are: `$XDG_RUNTIME_DIR`, if it is set as it should be.
    var runtimeFolder: String? {
        environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
