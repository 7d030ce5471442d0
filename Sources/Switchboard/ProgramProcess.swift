internal import CSessionSocket
internal import Foundation

/// The process of a managed server, or of a stand-in device, known so surely that it can be ended: opened first, looked at afterwards.
struct ProgramProcess {
    let process: Int32
    let parent: Int32
    let arguments: [String]
    /// A pidfd; whoever holds the value closes it.
    let descriptor: Int32

    /// What runs there.
    enum Program: String {
        case server = "audiosession-server"
        case device = "audiosession-device"
    }

    /// The name that a server has when none is given.
    static let defaultServer = "audiosession"

    /// Servers of this user with that name: the server itself and, if it was detached, the process that waits for its end.
    static func servers(_ name: String) -> [ProgramProcess] {
        all(.server) { ($0.option("--name") ?? defaultServer) == name }
    }

    /// Of this user; the others are closed.
    static func all(_ program: Program, where isMeant: (ProgramProcess) -> Bool = { _ in true }) -> [ProgramProcess] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.compactMap { ProgramProcess($0, program) }.filter { process in
            let isMeant = isMeant(process)
            if !isMeant { close(process.descriptor) }
            return isMeant
        }
    }

    /// The server itself among them: who has no other of them as its child.
    static func server(among processes: [ProgramProcess]) -> ProgramProcess? {
        let parents = Set(processes.map(\.parent))
        return processes.first { !parents.contains($0.process) }
    }

    /// nil for what is not that program, or not this user's.
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

    /// What it was started with.
    func option(_ name: String) -> String? {
        guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
        return arguments[place + 1]
    }

    /// Asks it to end.
    func terminate() { _ = ssocket_process_signal(descriptor, SIGTERM) }

    /// Waits for its end; false when it has not ended within `seconds`.
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

    private static func runs(_ program: Program, in process: Int32) -> Bool {
        var facts = stat()
        guard stat("/proc/\(process)", &facts) == 0, facts.st_uid == geteuid(),
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        else { return false }
        // After an update the file that runs has another at its place.
        let kept = path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
        return kept.split(separator: "/").last.map(String.init) == program.rawValue
    }

    private static func arguments(_ process: Int32) -> [String]? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/cmdline"), !data.isEmpty else {
            return nil
        }
        return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func parent(_ process: Int32) -> Int32? {
        guard let data = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        // The name in brackets may hold anything; the state and the parent come behind it.
        let fields = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 ? Int32(fields[1]) : nil
    }
}
