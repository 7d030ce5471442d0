import Glibc
import CBareClient
import CLoad
import Processes
import Servers

/// A client that only writes silence to two ports. Its cycles are traced.
final class LoadBare {
    static let part = "load-bare"

    private var client: OpaquePointer?
    private var xruns: UInt64 = 0

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "open": try open(words[1])
        case "begin":
            xruns = bare_client_xruns(try requireOpen())
            load_trace_begin()
        case "end":
            let count = load_trace_end()
            let found = bare_client_xruns(try requireOpen()) - xruns
            try LoadTrace.write(count, to: words[1])
            return [Double(found)]
        case "stall": load_trace_stall(UInt32(words[1]) ?? 0)
        case "process": return [Double(getpid())]
        case "close":
            bare_client_close(client)
            client = nil
        default: throw BenchmarkError("unknown command of the do-nothing client")
        }
        return []
    }

    private func requireOpen() throws -> OpaquePointer {
        guard let client else { throw BenchmarkError("no client is open") }
        return client
    }

    private func open(_ server: String) throws {
        guard load_trace_arm(1 << 16) else { throw BenchmarkError("out of memory") }
        client = bare_client_open(server, "load-bare", 2, 0)
        guard bare_client_activate(try requireOpen()), bare_client_connect_device(try requireOpen()) == 2 else {
            throw BenchmarkError("cannot activate and connect the client")
        }
    }
}
