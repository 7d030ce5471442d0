import CSessionSocket
import Foundation
import Processes

/// The part of a child process.
enum Part: String {
    /// An app: sends the given requests to the arbiter, reads its messages, and sleeps.
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

    /// Changes all pages on each packet, and answers with packets of the sizes of an arbiter's
    /// answers.
    private func playBound(_ asked: Packets, pages count: Int) throws {
        var pages: [OpaquePointer] = []
        for _ in 0..<count {
            var page: OpaquePointer?
            let descriptor = ssocket_gate_create(&page)
            guard descriptor >= 0, let page else { throw BenchmarkError("Cannot create a gate page.") }
            pages.append(page)
            try asked.send([0], descriptor: descriptor)
            close(descriptor)
        }
        let answers = Bound.answers.map { [UInt8](repeating: 0x20, count: $0) }
        var serial: UInt32 = 0
        while try asked.receive(waiting: true) != nil {
            serial += 1
            for page in pages {
                sgate_page_set_grant(
                    page,
                    sgate_grant_t(
                        attenuation: 0, ramp_ms: 5, paused: false, muted: false, input_granted: false, serial: serial))
            }
            for answer in answers { try asked.send(answer) }
        }
    }
}

/// An app in a separate process.
final class AppProcess: Client {
    private let companion: Companion

    init(socket: String) throws { companion = try Companion(Part.app.rawValue, [socket]) }

    func ask(_ request: String) throws -> (reply: [UInt8], descriptor: Int32) {
        try companion.packets.send(Array(request.utf8))
        guard let (reply, descriptor) = try companion.packets.receive(waiting: true) else {
            throw BenchmarkError("An app has ended.")
        }
        return (Array(reply), descriptor)
    }

    /// The process does this on its own.
    func catchUp() {}
}
