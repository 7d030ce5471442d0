internal import CSessionSocket
internal import Foundation

/// A managed server's process, known so surely that it can be ended: opened first, looked at afterwards.
struct ServerProcess {
    let process: Int32
    let parent: Int32
    let arguments: [String]
    /// A pidfd; whoever holds the value closes it.
    let descriptor: Int32

    static let program = "audiosession-server"
    /// The name that a server has when none is given.
    static let defaultName = "audiosession"

    /// Those of this user, with that server name: the server itself and, if it was detached, the process that waits for its end.
    static func find(_ name: String) -> [ServerProcess] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.compactMap { ServerProcess($0) }.filter { server in
            let isMeant = server.serverName == name
            if !isMeant { close(server.descriptor) }
            return isMeant
        }
    }

    /// The server itself among them: who has no other of them as its child.
    static func server(among processes: [ServerProcess]) -> ServerProcess? {
        let parents = Set(processes.map(\.parent))
        return processes.first { !parents.contains($0.process) }
    }

    /// nil for what is no managed server of this user's.
    private init?(_ process: Int32) {
        guard Self.isServer(process) else { return nil }
        let descriptor = ssocket_process_open(process)
        guard descriptor >= 0 else { return nil }
        guard Self.isServer(process), let arguments = Self.arguments(process), let parent = Self.parent(process) else {
            close(descriptor)
            return nil
        }
        self.process = process
        self.parent = parent
        self.arguments = arguments
        self.descriptor = descriptor
    }

    var serverName: String { option("--name") ?? Self.defaultName }

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

    private static func isServer(_ process: Int32) -> Bool {
        var facts = stat()
        guard stat("/proc/\(process)", &facts) == 0, facts.st_uid == geteuid(),
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
        else { return false }
        // After an update the file that runs has another at its place.
        let kept = path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
        return kept.split(separator: "/").last.map(String.init) == program
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
