import CSessionSocket
import Foundation
import Processes

/// What a process beside this one does.
enum Part: String {
    /// An app: asks the arbiter what it is told to ask, reads what it is told, and sleeps.
    case app
    /// The bound: an arbiter that decides nothing.
    case bound

    func play(_ arguments: [String]) throws {
        if self == .app { Scheduling.useNormal() }
        let packets = Packets(socket: Companion.inherited)
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
    private let companion: Companion

    init(socket: String) throws { companion = try Companion(Part.app.rawValue, [socket]) }

    func ask(_ request: String) throws -> (reply: [UInt8], descriptor: Int32) {
        try companion.packets.send(Array(request.utf8))
        guard let (reply, descriptor) = try companion.packets.receive(waiting: true) else {
            throw BenchmarkError("An app has gone.")
        }
        return (Array(reply), descriptor)
    }

    /// It does so by itself.
    func catchUp() {}
}
