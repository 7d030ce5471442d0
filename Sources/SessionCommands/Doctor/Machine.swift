public import DesktopBridge
internal import Foundation

/// The properties of the machine that `audiosession doctor` examines. Tests construct their own.
public struct Machine: Sendable {
    /// A prefix for the paths of files; "" on the real machine.
    public var root = ""
    public var user: UInt32 = 0
    /// The real-time priority limit of this user, 0…99.
    public var realtimePriority = 0
    /// The memory lock limit of this user, in bytes; nil if it is unlimited.
    public var lockedMemory: Int?
    public var environment: [String: String] = [:]
    /// The version of the JACK library that the loader chose.
    public var jackLibrary = ""
    /// Looks for the default server, then for the managed one.
    public var server: @Sendable () -> ServerView = { ServerView(name: nil, unreachable: "not checked") }
    /// Looks for the arbiter.
    public var arbiter: @Sendable () -> ArbiterProbe = { .absent(path: "") }
    /// Looks for the desktop's session bus.
    public var sessionBus: @Sendable () -> SessionBusState = { .absent(reason: "not checked") }
    /// Returns the process of `audiosession-adopt`; nil if it does not run.
    public var adoption: @Sendable () -> Int32? = { nil }
    /// Looks at PipeWire.
    public var pipeWire: @Sendable () -> PipeWireState = { .absent(reason: "not checked") }
    /// Returns the path of an executable program; nil if it was not found.
    public var program: @Sendable (_ name: String) -> String? = { _ in nil }
    /// The path of the settings file.
    public var configuration = ""

    public init() {}

    /// Returns the first 256 KiB of a file; nil if it cannot be read.
    func bytes(_ path: String) -> [UInt8]? {
        guard let file = FileHandle(forReadingAtPath: root + path) else { return nil }
        guard let data = try? file.read(upToCount: 1 << 18) else { return nil }
        return Array(data)
    }

    /// Returns the first 256 KiB of a file as text, without white space at both ends.
    func text(_ path: String) -> String? {
        bytes(path).map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
    }

    /// Returns the names in a folder, sorted; empty if the folder does not exist.
    func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + path)) ?? []).sorted()
    }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: root + path) }

    func mayWrite(_ path: String) -> Bool { access(root + path, R_OK | W_OK) == 0 }

    /// Returns the owner and the mode of a file; nil if it does not exist.
    func owner(_ path: String) -> (user: UInt32, mode: UInt32, isFolder: Bool)? {
        var facts = stat()
        guard lstat(root + path, &facts) == 0 else { return nil }
        return (facts.st_uid, facts.st_mode & 0o777, facts.st_mode & S_IFMT == S_IFDIR)
    }

    /// The runtime folder of the user: `$XDG_RUNTIME_DIR`, if it is an absolute path.
    var runtimeFolder: String? {
        environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
