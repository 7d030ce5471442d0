internal import CBareClient
internal import Foundation
internal import Processes

/// A bare JACK client that does as it is told.
package final class BareClient {
    private var client: OpaquePointer?

    package init() {}

    /// How the part is called that performs it.
    package static let part = "bare"

    package func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "cold": return try activateCold(words[1], inputs: words[2])
        case "reach": try reach(words[1], inputs: words[2])
        case "open": try open(words[1], outputs: words[2], inputs: words[3], name: words[4])
        case "count": bare_client_count(try opened())
        case "connect": try connect(words[1], words[2])
        case "links": return [Double(bare_client_links(try opened(), words[1]))]
        case "await": try awaitFrames(input: words[1], frames: words[2])
        case "heard": return try heard(input: words[1])
        case "period": try setPeriod(words[1])
        case "lost": return [try awaitLoss()]
        case "return": return try hearReturn(words[1], inputs: words[2], of: words[3])
        case "close":
            bare_client_close(client)
            client = nil
        default: throw BenchmarkError("a bare client knows no such word")
        }
        return []
    }

    private func opened() throws -> OpaquePointer {
        guard let client else { throw BenchmarkError("no client is open") }
        return client
    }

    package static let name = "session-bare"
    /// With as many ports as the app has, in stereo out, all of them connected, and at least with `ears` inputs.
    private static func start(_ server: String, _ inputs: String, ears: UInt32 = 0) throws -> OpaquePointer {
        guard let inputs = UInt32(inputs), let client = bare_client_open(server, name, 2, max(inputs, ears)) else {
            throw BenchmarkError("no client could be made")
        }
        let isActive = bare_client_activate(client)
        let links = isActive ? bare_client_connect_device(client) : 0
        if links == 2 + inputs { return client }
        bare_client_close(client)
        throw BenchmarkError(
            isActive ? "\(links) of \(2 + inputs) ports could be connected" : "a client could not be activated")
    }

    /// Milliseconds of opening, activating and connecting, of deactivating, and of closing.
    private func activateCold(_ server: String, inputs: String) throws -> [Double] {
        var started: OpaquePointer?
        let activation = try milliseconds { started = try Self.start(server, inputs) }
        let deactivation = milliseconds { _ = bare_client_deactivate(started) }
        let closing = milliseconds { bare_client_close(started) }
        return [activation, deactivation, closing]
    }

    /// Returns when the server answers, and has its device.
    private func reach(_ server: String, inputs: String) throws {
        let limit = now() + 20_000_000_000
        while now() < limit {
            if let client = try? Self.start(server, inputs) { return bare_client_close(client) }
            poll(nil, 0, 1)
        }
        throw BenchmarkError("'\(server)' was not ready within 20 s")
    }

    private func open(_ server: String, outputs: String, inputs: String, name: String) throws {
        client = bare_client_open(server, name, UInt32(outputs) ?? 0, UInt32(inputs) ?? 0)
        guard bare_client_activate(try opened()) else { throw BenchmarkError("it could not be activated") }
    }

    private func connect(_ source: String, _ destination: String) throws {
        guard bare_client_connect(try opened(), source, destination) else {
            throw BenchmarkError("they could not be connected")
        }
    }

    private func awaitFrames(input: String, frames: String) throws {
        guard bare_client_await_frames(try opened(), UInt32(input) ?? 0, UInt64(frames) ?? 0, 20_000) else {
            throw BenchmarkError("it was not heard within 20 s")
        }
    }

    /// Frames that counted, that were silent, that were left out; breaks of the count; xruns.
    private func heard(input: String) throws -> [Double] {
        let heard = bare_client_heard(try opened(), UInt32(input) ?? 0)
        return [heard.frames, heard.silent, heard.lost, heard.breaks, bare_client_xruns(try opened())].map {
            Double($0)
        }
    }

    /// Returns when it is so: PipeWire takes its time.
    private func setPeriod(_ frames: String) throws {
        let (client, frames) = (try opened(), UInt32(frames) ?? 0)
        guard bare_client_set_period(client, frames) else { throw BenchmarkError("the server said no") }
        let limit = now() + 5_000_000_000
        while bare_client_period(client) != frames {
            guard now() < limit else { throw BenchmarkError("it was not so within 5 s") }
            poll(nil, 0, 1)
        }
    }

    private func awaitLoss() throws -> Double {
        let time = bare_client_await_loss(try opened(), 20_000)
        guard time != 0 else { throw BenchmarkError("it was not told within 20 s") }
        return Double(time)
    }

    /// How long an own client took to open, activate and connect; then, of what another client's port counts: when the cycle began that brought
    /// the first frame heard, that frame's number, and to how many ports it is connected beside ours.
    private func hearReturn(_ server: String, inputs: String, of port: String) throws -> [Double] {
        let limit = now() + 20_000_000_000
        let (client, took) = try startPatiently(server, inputs, until: limit)
        self.client = client
        repeat {
            guard now() < limit else { throw BenchmarkError("'\(port)' was not heard within 20 s") }
            _ = bare_client_connect(client, port, "\(Self.name):in_1")
        } while !bare_client_await_frames(client, 0, 16, 100)
        let heard = bare_client_heard(client, 0)
        let links = max(1, bare_client_links(client, port)) - 1
        return [took, Double(heard.first_ns), Double(heard.first_frame), Double(links)]
    }

    /// A server that has just begun may say no on a busy machine; only the time of the attempt that it granted counts.
    private func startPatiently(
        _ server: String, _ inputs: String, until limit: UInt64
    ) throws -> (client: OpaquePointer, took: Double) {
        while true {
            let begun = now()
            do {
                let client = try Self.start(server, inputs, ears: 1)
                return (client, Double(now() - begun) / 1e6)
            } catch {
                guard now() < limit else { throw error }
            }
        }
    }
}

/// How long something takes.
package func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let begun = now()
    try body()
    return Double(now() - begun) / 1e6
}
