import CRenderCore
import Reporting

/// Voices with constant gains, in session buses with open gates, into routes: hot, at 48 kHz.
struct Topology {
    var voices = 256
    var frames = 64
    /// 1, panned if there are two or more channels; or equal to `channels`.
    var sourceChannels = 1
    var buses = 1
    /// Each bus is routed to every route.
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
    struct Idle {
        /// Voices that are acquired and not started; only in `MixConditions.corePlayer`.
        var voices = 0
        /// Buses that are routed to the first route.
        var buses = 0
        /// Routes that no bus feeds.
        var routes = 0
        var queues = 0
        /// Whether the plan contains them; otherwise the core only has room for them.
        var isPlanned = false
        /// Whether the driver has outputs for the routes, which must be silent when no bus feeds
        /// them.
        var hasOutputs = false
    }

    static let bound = "bare additions of the graph"

    var text: String {
        "\(voices) voices of \(sourceChannels) channels, \(frames) frames, \(buses) buses (voices \(spread.rawValue)), \(routes) routes of \(channels) channels"
    }

    var parameters: Parameters {
        let sources = sourceChannels == 1 ? "mono" : sourceChannels == 2 ? "stereo" : "\(sourceChannels) channels"
        return MixConditions(voices: voices, frames: frames, gain: .flat).parameters.with([
            "sources": .text(sources), "buses": .whole(buses), "routes": .whole(routes), "channels": .whole(channels),
            "spread": .text(spread.rawValue),
        ])
    }

    /// At most eight channels of 1,024 frames, which stay in the cache.
    static func samples(voices: Int, channels: Int, frames: Int) throws -> Samples {
        try Samples(
            count: min(voices, max(1, 8 / channels)), frames: 1024 / frames * frames, channels: channels,
            period: frames)
    }

    func mix() throws -> Mix {
        let fed = routes * channels
        return Mix(
            text: text,
            voices: Voices(
                samples: try Self.samples(voices: voices, channels: sourceChannels, frames: frames), count: voices,
                frames: frames, isPanned: sourceChannels == 1 && channels > 1),
            channels: channels, bus: { spread == .inTurn ? $0 % buses : $0 * buses / voices },
            outputs: fed + (idle.hasOutputs ? idle.routes * channels : 0),
            channel: { $0 < fed ? $0 % channels : nil })
    }

    func corePlayer(_ mix: Mix) throws -> CorePlayer {
        var plan = Plan()
        plan.addRoutes(routes + (idle.isPlanned ? idle.routes : 0), channels)
        for bus in 0..<buses + (idle.isPlanned ? idle.buses : 0) {
            let gate = try Owned.openGate()
            plan.objects.append(gate)
            plan.addBus(bus, channels) { $0.gate = gate.handle }
            plan.connections += (0..<(bus < buses ? routes : 1)).map { (bus, $0) }
        }
        var sizes = rcore_config_default()
        sizes.max_buses = UInt32(buses + idle.buses)
        sizes.max_routes = UInt32(routes + idle.routes)
        sizes.max_channels = UInt32(channels)
        return try CorePlayer(
            mix, sizes, plan, commands: max(voices + 2, commands), idleQueues: idle.queues)
    }

    /// The additions that every such graph must perform: each voice to its bus, each bus to its
    /// routes, with a multiplication per channel and frame.
    func boundPlayer(_ mix: Mix) -> BoundPlayer {
        let list = (0..<buses).flatMap { bus in (0..<routes).map { (from: bus, to: buses + $0) } }
        return BoundPlayer(
            Self.bound, mix,
            .init(list: list, isUnity: false, buses: buses + routes, mixed: buses..<buses + routes))
    }
}
