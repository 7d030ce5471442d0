import CCapacity
import Processes
import Reporting

/// Voices with constant gains, in session buses with open gates, into routes: hot, at 48 kHz.
struct Topology: Hashable {
    var voices = 256
    var frames = 64
    /// 1, panned if there are two or more channels; or equal to `channels`.
    var sourceChannels = 1
    var buses = 1
    var routes = 1
    /// The number of channels of each bus and route.
    var channels = 2
    var spread = Spread.together
    var idle = Idle()
    /// The minimum capacity of the queue, in commands.
    var commands = 0

    /// Which voices share a bus.
    enum Spread: String {
        /// Neighbours, in the order of their starts.
        case together
        /// Consecutive voices go to consecutive buses.
        case inTurn = "in turn"
    }

    /// The numbers of idle objects.
    struct Idle: Hashable {
        var buses = 0
        var routes = 0
        var queues = 0
        /// Whether the plan contains them; otherwise the core only has room for them.
        var isPlanned = false
        /// Whether the driver has outputs for the routes, which must be silent when no bus feeds
        /// them.
        var hasOutputs = false

        /// The same room, with nothing of it in the plan.
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
            idle_queues: UInt32(idle.queues),
            planned: idle.isPlanned, commands: UInt32(commands))
    }

    var text: String {
        "\(voices) voices of \(sourceChannels) channels, \(frames) frames, \(buses) buses (voices \(spread.rawValue)), \(routes) routes of \(channels) channels"
    }
}

/// A core with a topology, and the additions that every such graph must perform; for one thread.
final class Graph {
    let topology: Topology
    let handle: OpaquePointer
    private let samples: OpaquePointer
    static let bound = Scale.bound

    init(_ topology: Topology) throws {
        guard let samples = capacity_graph_samples(topology.handle) else {
            throw BenchmarkError.noGraph(topology, "out of memory")
        }
        guard let handle = capacity_graph_create(topology.handle, samples) else {
            capacity_samples_destroy(samples)
            throw BenchmarkError.noGraph(topology, "cannot make the core, or not every voice started")
        }
        (self.topology, self.handle, self.samples) = (topology, handle, samples)
    }

    deinit {
        capacity_graph_destroy(handle)
        capacity_samples_destroy(samples)
    }

    /// Run the core's next cycle, and the additions of the same period; return the nanoseconds.
    func cycle() -> Double { Double(capacity_graph_cycle(handle)) }
    func bound() -> Double { Double(capacity_graph_bound(handle)) }

    /// Throws unless the core's last period matches the additions.
    func check() throws {
        _ = bound()
        let difference = capacity_graph_difference(handle)
        guard difference < 1e-3 else { throw BenchmarkError.wrongGraph(topology, difference) }
    }
}
