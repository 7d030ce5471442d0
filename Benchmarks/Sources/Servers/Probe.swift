internal import CProbe
internal import Processes

/// A bare JACK client of this process, with the errors of CProbe's functions as Swift errors.
///
/// It does not close itself: libjack may never return if its server is dead.
package final class Probe {
    package let client: OpaquePointer

    package init(
        _ server: String?, _ name: String, outputs: Int = 0, inputs: Int = 0, isDevice: Bool = false
    ) throws {
        guard let client = probe_open(server, name, UInt32(outputs), UInt32(inputs), isDevice) else {
            let which = server.map { " named '\($0)'" } ?? ""
            throw BenchmarkError("No JACK server\(which) is running, or it refuses the client '\(name)'.")
        }
        self.client = client
    }

    /// Returns a detector, which a function of CProbe made.
    package func plug(_ detector: OpaquePointer?) throws -> OpaquePointer {
        guard let detector else { throw BenchmarkError("out of memory for a detector") }
        return detector
    }

    package func activate() throws {
        guard probe_activate(client) else { throw BenchmarkError("cannot activate a client") }
    }

    package func connect(_ source: String, _ destination: String) throws {
        guard probe_connect(client, source, destination) else {
            throw BenchmarkError("cannot connect '\(source)' to '\(destination)'")
        }
    }

    package func ports(outputs: Bool, physical: Bool = false) -> [String] {
        guard let names = probe_ports(client, outputs, physical) else { return [] }
        defer { probe_free_names(names) }
        return sequence(first: 0) { $0 + 1 }.lazy.map { names[$0] }.prefix { $0 != nil }.compactMap {
            $0.map { String(cString: $0) }
        }
    }

    /// Waits for a detector's reset.
    package func reset(_ detector: OpaquePointer, seconds: Double = 2) throws {
        probe_reset(detector)
        guard probe_await_reset(client, detector, deadline(seconds)) else {
            throw BenchmarkError("the server runs no cycles")
        }
    }

    package func close() { probe_close(client) }
}

/// Returns the time in so many seconds.
package func deadline(_ seconds: Double) -> UInt64 { now() + UInt64(seconds * 1e9) }

/// Waits until the condition holds. Polls once per millisecond. Returns false after the timeout.
package func holds(within seconds: Double, _ condition: () throws -> Bool) rethrows -> Bool {
    let limit = deadline(seconds)
    while try !condition() {
        guard now() < limit else { return false }
        probe_rest(1_000_000)
    }
    return true
}

/// Waits until the condition holds; throws after the timeout.
package func wait(for what: String, seconds: Double = 5, _ condition: () throws -> Bool) throws {
    guard try holds(within: seconds, condition) else { throw BenchmarkError("\(what): not within \(seconds) s") }
}

/// Returns how long `body` takes, in milliseconds.
package func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let begun = now()
    try body()
    return Double(now() - begun) / 1e6
}
