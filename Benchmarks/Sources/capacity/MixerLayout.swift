import CCapacity
import Processes
import Reporting

/// Parallel buses under a master bus, each fed by one voice, and the additional feature of each:
/// hot, at 48 kHz.
struct MixerLayout: Hashable {
    var buses = 16
    var channels = 2
    var frames = 64
    var feature = Feature.plain
    /// The latency that one of the buses reports, in frames.
    var latency = 0

    enum Feature: String, CaseIterable {
        case plain = "nothing"
        case room = "room for sends and curves"
        case nested = "bus"
        case sendPre = "send pre-fader"
        case sendPost = "send post-fader"
        case centred = "pan in the middle"
        case panned = "pan"
        case panMoving = "pan on its way"
        case gainMoving = "gain on its way"
        case curve = "gain on a curve"
        case insert = "insert"
        case insertOne = "insert in one bus"
        case late = "delay"
        case meter = "meter: peak and RMS"
        case truePeak = "meter: true peak too"
        case tapped = "meter: peak and RMS, a tap"
        case muted = "mute"
        case limiter = "limiter below its ceiling"
        case limiting = "limiter above its ceiling"
        case routes = "route"

        fileprivate var handle: capacity_feature_t {
            switch self {
            case .plain: CAPACITY_PLAIN
            case .room: CAPACITY_ROOM
            case .nested: CAPACITY_NESTED
            case .sendPre: CAPACITY_SEND_PRE
            case .sendPost: CAPACITY_SEND_POST
            case .centred: CAPACITY_CENTRED
            case .panned: CAPACITY_PANNED
            case .panMoving: CAPACITY_PAN_MOVING
            case .gainMoving: CAPACITY_GAIN_MOVING
            case .curve: CAPACITY_CURVE
            case .insert: CAPACITY_INSERT
            case .insertOne: CAPACITY_INSERT_ONE
            case .late: CAPACITY_LATE
            case .meter: CAPACITY_METER
            case .truePeak: CAPACITY_TRUE_PEAK
            case .tapped: CAPACITY_TAPPED
            case .muted: CAPACITY_MUTED
            case .limiter: CAPACITY_LIMITER
            case .limiting: CAPACITY_LIMITING
            case .routes: CAPACITY_ROUTES
            }
        }
    }

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
        case .routes: CAPACITY_MIXER_ROUTES - 1
        default: buses
        }
    }

    var handle: capacity_mixer_layout_t {
        capacity_mixer_layout_t(
            buses: UInt32(buses), frames: UInt32(frames), channels: UInt32(channels), latency_frames: UInt32(latency),
            feature: feature.handle)
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
}

/// A core with such buses; for one thread.
final class MixerPlayer {
    let layout: MixerLayout
    private let handle: OpaquePointer

    init(_ layout: MixerLayout) throws {
        guard let handle = capacity_mixer_create(layout.handle) else { throw BenchmarkError.noMixer(layout) }
        (self.layout, self.handle) = (layout, handle)
    }

    deinit { capacity_mixer_destroy(handle) }

    /// Run the core's next cycle, and the additions of such a period; return the nanoseconds.
    func cycle() -> Double { Double(capacity_mixer_cycle(handle)) }
    func additions() -> Double { Double(capacity_mixer_bound(handle)) }

    /// Throws unless the output of the last period is correct.
    func check() throws {
        let difference = capacity_mixer_difference(handle)
        guard difference < 1e-3 else { throw BenchmarkError.wrongMixer(layout, difference) }
    }
}
