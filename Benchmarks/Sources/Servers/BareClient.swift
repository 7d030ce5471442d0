internal import CBareClient
internal import Foundation
internal import Processes

/// A minimal JACK client that executes commands.
package final class BareClient {
    private var client: OpaquePointer?

    package init() {}

    /// The name of the part that performs it.
    package static let part = "bare"

    package func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "cold": return try activateCold(words[1], inputs: words[2])
        case "reach": try awaitServer(words[1], inputs: words[2])
        case "open": try open(words[1], outputs: words[2], inputs: words[3], name: words[4])
        case "count": bare_client_count(try requireClient())
        case "connect": try connect(words[1], words[2])
        case "links": return [Double(bare_client_links(try requireClient(), words[1]))]
        case "await": try awaitFrames(input: words[1], frames: words[2])
        case "heard": return try heard(input: words[1])
        case "period": try setPeriod(words[1])
        case "lost": return [try awaitLoss()]
        case "return": return try awaitReturn(words[1], inputs: words[2], of: words[3])
        case "close":
            bare_client_close(client)
            client = nil
        default: throw BenchmarkError("unknown command of the bare client")
        }
        return []
    }

    private func requireClient() throws -> OpaquePointer {
        guard let client else { throw BenchmarkError("no client is open") }
        return client
    }

    package static let name = "session-bare"
    /// Opens a client with as many ports as the app has, with stereo output, all of them connected,
    /// and with at least `taps` inputs.
    private static func start(_ server: String, _ inputs: String, taps: UInt32 = 0) throws -> OpaquePointer {
        guard let inputs = UInt32(inputs), let client = bare_client_open(server, name, 2, max(inputs, taps)) else {
            throw BenchmarkError("cannot open a client")
        }
        let isActive = bare_client_activate(client)
        let links = isActive ? bare_client_connect_device(client) : 0
        if links == 2 + inputs { return client }
        bare_client_close(client)
        throw BenchmarkError(
            isActive ? "only \(links) of \(2 + inputs) ports could be connected" : "cannot activate a client")
    }

    /// Returns the milliseconds for opening, activating and connecting, for deactivating, and for
    /// closing.
    private func activateCold(_ server: String, inputs: String) throws -> [Double] {
        var started: OpaquePointer?
        let activation = try milliseconds { started = try Self.start(server, inputs) }
        let deactivation = milliseconds { _ = bare_client_deactivate(started) }
        let closing = milliseconds { bare_client_close(started) }
        return [activation, deactivation, closing]
    }

    /// Waits until the server responds and has its device.
    private func awaitServer(_ server: String, inputs: String) throws {
        let limit = now() + 20_000_000_000
        while now() < limit {
            if let client = try? Self.start(server, inputs) { return bare_client_close(client) }
            poll(nil, 0, 1)
        }
        throw BenchmarkError("'\(server)' was not ready within 20 s")
    }

    private func open(_ server: String, outputs: String, inputs: String, name: String) throws {
        client = bare_client_open(server, name, UInt32(outputs) ?? 0, UInt32(inputs) ?? 0)
        guard bare_client_activate(try requireClient()) else { throw BenchmarkError("cannot activate the client") }
    }

    private func connect(_ source: String, _ destination: String) throws {
        guard bare_client_connect(try requireClient(), source, destination) else {
            throw BenchmarkError("cannot connect the ports")
        }
    }

    private func awaitFrames(input: String, frames: String) throws {
        guard bare_client_await_frames(try requireClient(), UInt32(input) ?? 0, UInt64(frames) ?? 0, 20_000) else {
            throw BenchmarkError("no counting signal within 20 s")
        }
    }

    /// Returns the numbers of frames that counted, were silent, and were left out; of breaks of the
    /// count; and of xruns.
    private func heard(input: String) throws -> [Double] {
        let heard = bare_client_heard(try requireClient(), UInt32(input) ?? 0)
        return [heard.frames, heard.silent, heard.lost, heard.breaks, bare_client_xruns(try requireClient())].map {
            Double($0)
        }
    }

    /// Sets the buffer size and waits until it is in effect: PipeWire takes some time.
    private func setPeriod(_ frames: String) throws {
        let (client, frames) = (try requireClient(), UInt32(frames) ?? 0)
        guard bare_client_set_period(client, frames) else { throw BenchmarkError("the server refused the buffer size") }
        let limit = now() + 5_000_000_000
        while bare_client_period(client) != frames {
            guard now() < limit else { throw BenchmarkError("the buffer size did not change within 5 s") }
            poll(nil, 0, 1)
        }
    }

    private func awaitLoss() throws -> Double {
        let time = bare_client_await_loss(try requireClient(), 20_000)
        guard time != 0 else { throw BenchmarkError("libjack did not report the end within 20 s") }
        return Double(time)
    }

    /// Returns how long a client of this process took to open, activate and connect. Then, for the
    /// counting signal of another client's port: when the cycle with the first received frame
    /// began, that frame's number, and the number of ports that it is connected to in addition to
    /// this client's.
    private func awaitReturn(_ server: String, inputs: String, of port: String) throws -> [Double] {
        let limit = now() + 20_000_000_000
        let (client, took) = try startWithRetries(server, inputs, until: limit)
        self.client = client
        repeat {
            guard now() < limit else { throw BenchmarkError("no counting signal from '\(port)' within 20 s") }
            _ = bare_client_connect(client, port, "\(Self.name):in_1")
        } while !bare_client_await_frames(client, 0, 16, 100)
        let heard = bare_client_heard(client, 0)
        let links = max(1, bare_client_links(client, port)) - 1
        return [took, Double(heard.first_ns), Double(heard.first_frame), Double(links)]
    }

    /// Starts a client with retries: on a busy machine a server that has just started may refuse.
    /// Only the time of the successful attempt counts.
    private func startWithRetries(
        _ server: String, _ inputs: String, until limit: UInt64
    ) throws -> (client: OpaquePointer, took: Double) {
        while true {
            let begun = now()
            do {
                let client = try Self.start(server, inputs, taps: 1)
                return (client, Double(now() - begun) / 1e6)
            } catch {
                guard now() < limit else { throw error }
            }
        }
    }
}

/// Returns how long `body` takes, in milliseconds.
package func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let begun = now()
    try body()
    return Double(now() - begun) / 1e6
}
