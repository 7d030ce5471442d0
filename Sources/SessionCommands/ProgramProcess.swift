internal import CSessionSocket
internal import Foundation

/// The process of a managed server or of a virtual device. The process is examined after its pidfd
/// was opened, so a signal never reaches another process that has received the same number.
struct ProgramProcess {
    let process: Int32
    let parent: Int32
    let arguments: [String]
    /// A pidfd; the owner of this value closes it.
    let descriptor: Int32

    /// The programs whose processes can be found.
    enum Program: String {
        case server = "audiosession-server"
        case device = "audiosession-device"
        case service = "audiosessiond"
        case adoption = "audiosession-adopt"
    }

    /// The name of a managed server that was started without `--name`.
    static let managedServerName = "audiosession"

    /// Returns the servers of this user with that name: the server itself and, if it was detached,
    /// the process that waits for its end. The caller closes their descriptors.
    static func servers(_ name: String) -> [ProgramProcess] {
        all(.server) { ($0.option("--name") ?? managedServerName) == name }
    }

    /// Returns the processes of this user that run the program and for which `matches` is true. The
    /// caller closes their descriptors.
    static func all(_ program: Program, where matches: (ProgramProcess) -> Bool = { _ in true }) -> [ProgramProcess] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.compactMap { ProgramProcess($0, program) }.filter { process in
            let isMatch = matches(process)
            if !isMatch { close(process.descriptor) }
            return isMatch
        }
    }

    /// Returns the server itself among the processes: the one that is not the parent of another.
    static func server(among processes: [ProgramProcess]) -> ProgramProcess? {
        let parents = Set(processes.map(\.parent))
        return processes.first { !parents.contains($0.process) }
    }

    /// Opens a process. Returns nil if it does not run that program, or belongs to another user.
    private init?(_ process: Int32, _ program: Program) {
        guard Self.runs(program, in: process) else { return nil }
        let descriptor = ssocket_process_open(process)
        guard descriptor >= 0 else { return nil }
        guard Self.runs(program, in: process), let arguments = Self.arguments(process),
            let parent = Self.parent(process)
        else {
            close(descriptor)
            return nil
        }
        self.process = process
        self.parent = parent
        self.arguments = arguments
        self.descriptor = descriptor
    }

    /// Returns the value of a command-line option.
    func option(_ name: String) -> String? {
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
        return arguments[index + 1]
    }

    /// Requests termination (SIGTERM).
    func terminate() { _ = ssocket_process_signal(descriptor, SIGTERM) }

    /// Waits until the process has exited; returns false if it has not within `seconds`.
    func waitForEnd(seconds: Double) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let deadline = DispatchTime.now() + seconds
        while true {
            let now = DispatchTime.now()
            guard now < deadline else { return false }
            let milliseconds = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
            let count = poll(&watched, 1, Int32(clamping: milliseconds))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }

    /// Returns whether the process belongs to this user and its executable is the program.
    static func runs(_ program: Program, in process: Int32) -> Bool {
        var facts = stat()
        guard stat("/proc/\(process)", &facts) == 0, facts.st_uid == geteuid(),
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        else { return false }
        // The kernel adds " (deleted)" if an update has replaced the file of a running program.
        let file = path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
        return file.split(separator: "/").last.map(String.init) == program.rawValue
    }

    /// Returns the command line of a process of this program; nil if it cannot be read or the
    /// process runs another program.
    static func arguments(_ process: Int32, of program: String) -> [String]? {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        return path == program ? arguments(process) : nil
    }

    private static func arguments(_ process: Int32) -> [String]? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/cmdline"), !data.isEmpty else {
            return nil
        }
        return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func parent(_ process: Int32) -> Int32? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        // The program's name in parentheses may contain any character; after it come the state and
        // the parent.
        let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 ? Int32(fields[1]) : nil
    }
}
