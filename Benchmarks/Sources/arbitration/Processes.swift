import CSessionSocket
import Foundation

/// A process beside this one, of the same program, that plays a part; a socket leads to it.
final class Player {
    let packets: Packets
    private var process = pid_t()

    /// The descriptor that a part is played through.
    static let inherited: Int32 = 3

    init(_ part: Part, _ arguments: [String] = []) throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw BenchmarkError("There is no socket pair to be had.")
        }
        packets = Packets(socket: ends[0])
        defer { close(ends[1]) }
        process = try Self.spawn("/proc/self/exe", ["--part", part.rawValue] + arguments, inheriting: ends[1])
    }

    /// Its socket's end is the part's end.
    deinit {
        shutdown(packets.socket, Int32(SHUT_RDWR))
        waitpid(process, nil, 0)
    }

    static func spawn(_ program: String, _ arguments: [String], inheriting descriptor: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        if descriptor >= 0 { posix_spawn_file_actions_adddup2(&actions, descriptor, Self.inherited) }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process = pid_t()
        let error = posix_spawn(&process, program, &actions, nil, words, environ)
        guard error == 0 else {
            throw BenchmarkError("'\(program)' cannot be run: \(String(cString: strerror(error))).")
        }
        return process
    }
}

/// What a process beside this one does.
enum Part: String {
    /// An app: asks the arbiter what it is told to ask, reads what it is told, and sleeps.
    case app
    /// The bound: an arbiter that decides nothing.
    case bound

    func play(_ arguments: [String]) throws {
        if self == .app { Scheduling.useNormal() }
        let packets = Packets(socket: Player.inherited)
        switch self {
        case .app: try playApp(packets, socket: arguments[0])
        case .bound: try playBound(packets, pages: Int(arguments[0]) ?? 0)
        }
    }

    private func playApp(_ orders: Packets, socket: String) throws {
        let arbiter = try Connection(to: socket)
        while true {
            let ready = Packets.wait(orders.socket, arbiter.socket)
            if ready.b { try arbiter.catchUp() }
            guard ready.a, let (order, _) = try orders.receive(waiting: true) else { continue }
            let (reply, descriptor) = try arbiter.ask(String(decoding: order, as: UTF8.self))
            try orders.send(reply, descriptor: descriptor)
            if descriptor >= 0 { close(descriptor) }
        }
    }

    /// Each packet changes all pages, and is answered by packets of the sizes that an arbiter's would have.
    private func playBound(_ asked: Packets, pages count: Int) throws {
        var pages: [OpaquePointer] = []
        for _ in 0..<count {
            var page: OpaquePointer?
            let descriptor = ssocket_gate_create(&page)
            guard descriptor >= 0, let page else { throw BenchmarkError("No page is to be had.") }
            pages.append(page)
            try asked.send([0], descriptor: descriptor)
            close(descriptor)
        }
        let answers = Bound.answers.map { [UInt8](repeating: 0x20, count: $0) }
        var serial: UInt32 = 0
        while try asked.receive(waiting: true) != nil {
            serial += 1
            for page in pages {
                sgate_page_set_verdict(
                    page,
                    sgate_verdict_t(
                        attenuation: 0, ramp_ms: 5, paused: false, muted: false, input_granted: false, serial: serial))
            }
            for answer in answers { try asked.send(answer) }
        }
    }
}

/// An app in a process of its own.
final class AppProcess: Client {
    private let player: Player

    init(socket: String) throws { player = try Player(.app, [socket]) }

    func ask(_ request: String) throws -> (reply: [UInt8], descriptor: Int32) {
        try player.packets.send(Array(request.utf8))
        guard let (reply, descriptor) = try player.packets.receive(waiting: true) else {
            throw BenchmarkError("An app has gone.")
        }
        return (Array(reply), descriptor)
    }

    /// It does so by itself.
    func catchUp() {}
}
