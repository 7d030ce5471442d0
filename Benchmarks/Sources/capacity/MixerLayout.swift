import CRenderCore
import Processes
import Reporting

/// Parallel buses under a master bus, each fed by one voice, and the additional feature of each:
/// hot, at 48 kHz.
struct MixerLayout {
    var buses = 16
    var channels = 2
    var frames = 64
    var feature = Feature.plain
    /// The latency that one of the buses reports, in frames.
    var latency = 0

    /// The feature in addition to the plain mixer: voice → bus → master → route.
    enum Feature: String, CaseIterable {
        case plain = "nothing"
        /// The core has room for 1,024 sends and 4,096 curves.
        case room = "room for sends and curves"
        /// One more bus between each bus and the master.
        case nested = "bus"
        /// Each sends to one more bus, which is routed to the master.
        case sendPre = "send pre-fader"
        case sendPost = "send post-fader"
        case centred = "pan in the middle"
        /// Half to the right.
        case panned = "pan"
        /// Each pan, or gain, moves all the time.
        case panMoving = "pan on its way"
        case gainMoving = "gain on its way"
        case curve = "gain on a curve"
        /// An insert that does nothing.
        case insert = "insert"
        case insertOne = "insert in one bus"
        /// That insert reports latency: the others get delay compensation.
        case late = "delay"
        case meter = "meter: peak and RMS"
        case truePeak = "meter: true peak too"
        /// The tap is read between the cycles, as for loudness measurement.
        case tapped = "meter: peak and RMS, a tap"
        case muted = "mute"
        /// The route has a limiter, whose ceiling no sample exceeds; or most samples.
        case limiter = "limiter below its ceiling"
        case limiting = "limiter above its ceiling"
        /// The master is routed to all routes, not only to the first.
        case routes = "route"
    }

    private static let routes = 8
    /// The greatest possible sum of all voices: no peak between the samples reaches 1.
    private static let greatestSum: Float = 0.5
    /// The ceiling when limiting: lower than many samples.
    private static let ceiling: Float = 0.1
    /// The duration of gain and pan moves: too slow to be audible.
    private static let (moveFrames, curveFrames): (UInt32, UInt32) = (1 << 30, 1 << 22)

    static let bound = "bare additions"
    /// Whether the bound has the feature, too.
    var isBound: Bool { [.plain, .nested].contains(feature) || hasSends }

    private var hasSends: Bool { [.sendPre, .sendPost].contains(feature) }
    private var hasMeters: Bool { [.meter, .truePeak, .tapped].contains(feature) }
    private var hasLimiter: Bool { [.limiter, .limiting].contains(feature) }

    /// The same layout without the feature.
    var without: MixerLayout {
        var layout = self
        (layout.feature, layout.latency) = (feature == .late ? .insertOne : .plain, 0)
        return layout
    }

    /// The number of features, compared with the layout without them.
    var count: Int {
        switch feature {
        case .plain, .room, .limiter, .limiting: 1
        case .late: buses - 1
        case .routes: Self.routes - 1
        default: buses
        }
    }

    var text: String {
        "\(buses) buses of \(channels) channels, \(frames) frames, with: \(feature.rawValue)"
            + (latency > 0 ? " of \(latency) frames" : "")
    }

    var parameters: Parameters {
        MixConditions(voices: buses, frames: frames, gain: .flat).parameters.with([
            "buses": .whole(buses), "channels": .whole(channels), "feature": .text(feature.rawValue),
            "latencyFrames": .whole(latency), "sources": .text(channels == 1 ? "mono" : "\(channels) channels"),
        ])
    }

    // MARK: Players

    // Slots: the buses, the master, the bus that sends go to, the nested buses.
    private var master: Int { buses }
    private var back: Int { buses + 1 }
    private func nested(_ bus: Int) -> Int { buses + 2 + bus }

    private func mix(latency limiterLatency: Int) throws -> Mix {
        let samples = try Topology.samples(voices: buses, channels: channels, frames: frames)
        let factor: (Int) -> Double =
            switch feature {
            case .sendPre, .sendPost: { _ in 2 }  // direct and send
            case .panned: { $0 == 0 ? 0.5 : 1 }
            case .muted: { _ in 0 }
            default: { _ in 1 }
            }
        return Mix(
            text: text,
            voices: Voices(
                samples: samples, count: buses, frames: frames, isPanned: false,
                gain: Self.greatestSum / Float(buses)),
            channels: channels, bus: { $0 }, outputs: Self.routes * channels,
            channel: { $0 < channels || feature == .routes ? $0 % channels : nil }, factor: factor,
            // The insert only reports latency; it does not delay.
            delay: { (feature == .late && $0 > 0 ? latency : 0) + limiterLatency },
            ceiling: feature == .limiting ? Double(Self.ceiling) : nil)
    }

    /// The core with such a mixer.
    func corePlayer() throws -> CorePlayer {
        let limiter = try makeLimiter()
        let meters = try (0..<(hasMeters ? buses : 0)).map { _ in try makeMeter() }
        let plan = plan(meters, limiter)
        var sizes = rcore_config_default()
        sizes.max_buses = UInt32(nested(buses))
        sizes.max_sends = feature == .room ? 1024 : UInt32(buses)
        sizes.max_curves = feature == .room ? 4096 : feature == .curve ? UInt32(buses) : 0
        sizes.max_routes = UInt32(Self.routes)
        sizes.max_channels = UInt32(channels)
        let latency = limiter.map { Int(rcore_limiter_latency($0.handle)) } ?? 0
        let player = try CorePlayer(mix(latency: latency), sizes, plan, commands: 4 * buses + 16)
        for bus in 0..<buses { try require(move(UInt32(bus), player.queue)) }
        if feature == .tapped {
            let taps = meters.map { rcore_meter_tap($0.handle) }
            let frames = Planes(count: channels, frames: self.frames)
            // A full tap would accept no more frames.
            player.afterCycle = {
                for tap in taps { rcore_fifo_read_interleaved(tap, frames.samples, UInt32(frames.frames)) }
            }
        }
        return player
    }

    /// Clears each bus, adds voices, buses and sends to the buses that they feed, and copies the
    /// master to the output: without a multiplication, except for the voices.
    func boundPlayer() throws -> BoundPlayer {
        let isNested = feature == .nested
        let feeding = (0..<buses).flatMap { bus in
            [(from: bus, to: isNested ? nested(bus) : master)] + (hasSends ? [(from: bus, to: back)] : [])
        }
        let through = isNested ? (0..<buses).map { (from: nested($0), to: master) } : []
        return BoundPlayer(
            Self.bound, try mix(latency: 0),
            .init(
                list: feeding + through + [(from: back, to: master)], isUnity: true,
                buses: isNested ? nested(buses) : back + 1, mixed: master..<master + 1))
    }

    private func plan(_ meters: [Owned], _ limiter: Owned?) -> Plan {
        var plan = Plan()
        plan.objects = meters + (limiter.map { [$0] } ?? [])
        plan.addRoutes(Self.routes, channels)
        plan.routes[0].limiter = limiter?.handle
        plan.addBus(master, channels)
        plan.addBus(back, channels, parent: master)
        plan.connections = (0..<(feature == .routes ? Self.routes : 1)).map { (master, $0) }
        for bus in 0..<buses {
            if feature == .nested { plan.addBus(nested(bus), channels, parent: master) }
            plan.addBus(bus, channels, parent: feature == .nested ? nested(bus) : master) { description in
                if hasMeters { description.meter = meters[bus].handle }
                if [.centred, .panned, .panMoving].contains(feature) { description.pan_law = RCORE_PAN_LINEAR }
                if feature == .insert || bus == 0 && [.insertOne, .late].contains(feature) {
                    description.insert.render = { _, _, _, _ in }
                    // The core needs a context, which the insert does not use.
                    description.insert.context = UnsafeMutableRawPointer(bitPattern: bus + 1)
                    description.insert.latency_frames = UInt32(latency)
                }
            }
            guard hasSends else { continue }
            var send = rcore_send_description_t()
            (send.slot, send.source, send.target) = (UInt32(bus), UInt32(bus), UInt32(back))
            send.pre_fader = feature == .sendPre
            plan.sends.append(send)
        }
        return plan
    }

    private func makeMeter() throws -> Owned {
        var description = rcore_meter_description_t()
        (description.channels, description.sample_rate) = (UInt32(channels), UInt32(MixConditions.sampleRate))
        description.true_peak = feature == .truePeak
        description.tap_frames = feature == .tapped ? 1024 : 0
        return try Owned(rcore_meter_create(&description, nil), rcore_meter_destroy)
    }

    private func makeLimiter() throws -> Owned? {
        guard hasLimiter else { return nil }
        var description = rcore_limiter_description_t()
        (description.channels, description.sample_rate) = (UInt32(channels), UInt32(MixConditions.sampleRate))
        description.ceiling = feature == .limiting ? Self.ceiling : 1
        return try Owned(rcore_limiter_create(&description, nil), rcore_limiter_destroy)
    }

    /// Commands to a bus are valid once the plan applies.
    private func move(_ bus: UInt32, _ queue: OpaquePointer) -> rcore_status_t {
        switch feature {
        case .panned: rcore_post_bus_pan(queue, bus, 0.5, 0, 0)
        case .panMoving: rcore_post_bus_pan(queue, bus, 0.01, Self.moveFrames, 0)
        case .gainMoving: rcore_post_bus_gain(queue, bus, 0.99, Self.moveFrames, 0)
        case .curve:
            rcore_post_curve(
                queue, RCORE_PARAMETER_BUS_GAIN, UInt64(bus), 0.9995, RCORE_CURVE_S, Self.curveFrames, 0)
        case .muted: rcore_post_bus_mute(queue, bus, true, 0, 0)
        default: RCORE_OK
        }
    }
}
