import CCapacity
import Reporting

/// Voices whose gains stand still, in session buses that are open, into routes: hot, at 48 kHz.
struct Topology: Hashable {
    var voices = 256
    var frames = 64
    /// 1, panned where there are two channels or more; or as many as `channels`.
    var sourceChannels = 1
    var buses = 1
    var routes = 1
    /// Of each bus and route.
    var channels = 2
    var spread = Spread.together
    var idle = Idle()
    /// Room for so many in the port.
    var commands = 0

    /// Which voices share a bus.
    enum Spread: String {
        /// Neighbours, in the order of their starts.
        case together
        /// Each next voice goes to the next bus.
        case inTurn = "in turn"
    }

    /// What is there and does nothing.
    struct Idle: Hashable {
        var buses = 0
        var routes = 0
        var ports = 0
        /// Whether the plan has them; otherwise the core has room for them.
        var isPlanned = false
        /// Whether the driver has outputs for the routes, which it wants silent whoever feeds them.
        var hasOutputs = false

        /// The same room, of which the plan has nothing.
        var unplanned: Idle {
            var idle = self
            idle.isPlanned = false
            return idle
        }
    }

    var handle: capacity_topology_t {
        capacity_topology_t(
            voices: UInt32(voices), frames: UInt32(frames), source_channels: UInt32(sourceChannels),
            buses: UInt32(buses), routes: UInt32(routes), channels: UInt32(channels), in_turn: spread == .inTurn,
            idle_buses: UInt32(idle.buses), idle_routes: UInt32(idle.routes), idle_outputs: idle.hasOutputs,
            idle_ports: UInt32(idle.ports),
            planned: idle.isPlanned, commands: UInt32(commands))
    }

    var text: String {
        "\(voices) voices of \(sourceChannels) channels, \(frames) frames, \(buses) buses (voices \(spread.rawValue)), \(routes) routes of \(channels) channels"
    }
}

/// A core with a topology, and the additions that no such graph can do without; for one thread.
final class Graph {
    let topology: Topology
    let handle: OpaquePointer
    private let samples: OpaquePointer

    init(_ topology: Topology) throws {
        guard let samples = capacity_graph_samples(topology.handle) else {
            throw BenchmarkError.noGraph(topology, "memory is short")
        }
        guard let handle = capacity_graph_create(topology.handle, samples) else {
            capacity_samples_destroy(samples)
            throw BenchmarkError.noGraph(topology, "the core could not be made, or did not start every voice")
        }
        (self.topology, self.handle, self.samples) = (topology, handle, samples)
    }

    deinit {
        capacity_graph_destroy(handle)
        capacity_samples_destroy(samples)
    }

    /// Nanoseconds of the core's next cycle; and of the additions for the same period.
    func cycle() -> Double { Double(capacity_graph_cycle(handle)) }
    func bound() -> Double { Double(capacity_graph_bound(handle)) }

    /// Throws unless the core's last period is what the additions say.
    func check() throws {
        _ = bound()
        let difference = capacity_graph_difference(handle)
        guard difference < 1e-3 else { throw BenchmarkError.wrongGraph(topology, difference) }
    }
}
