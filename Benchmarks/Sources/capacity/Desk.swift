import CCapacity
import Reporting

/// Buses in parallel under a master bus, each fed by one voice, and what each of them has or does beside that: hot, at 48 kHz.
struct Desk: Hashable {
    var buses = 16
    var channels = 2
    var frames = 64
    var feature = Feature.plain
    /// Frames that one of the buses says to delay.
    var latency = 0

    enum Feature: String, CaseIterable {
        case plain = "nothing"
        case room = "room for sends and curves"
        case nested = "bus"
        case sendPre = "send before the fader"
        case sendPost = "send behind the fader"
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

    /// The same without it.
    var without: Desk {
        var desk = self
        (desk.feature, desk.latency) = (feature == .late ? .insertOne : .plain, 0)
        return desk
    }

    /// How many of them it has more than the same without.
    var count: Int {
        switch feature {
        case .plain, .room, .limiter, .limiting: 1
        case .late: buses - 1
        case .routes: CAPACITY_MIXER_ROUTES - 1
        default: buses
        }
    }

    var handle: capacity_desk_t {
        capacity_desk_t(
            buses: UInt32(buses), frames: UInt32(frames), channels: UInt32(channels), latency_frames: UInt32(latency),
            feature: feature.handle)
    }

    var text: String {
        "\(buses) buses of \(channels) channels, \(frames) frames, with: \(feature.rawValue)"
            + (latency > 0 ? " of \(latency) frames" : "")
    }

    var parameters: Parameters {
        Conditions(voices: buses, frames: frames, gain: .flat).parameters.with([
            "buses": .whole(buses), "channels": .whole(channels), "feature": .text(feature.rawValue),
            "latencyFrames": .whole(latency), "sources": .text(channels == 1 ? "mono" : "\(channels) channels"),
        ])
    }
}

/// A core with such buses; for one thread.
final class DeskPlayer {
    let desk: Desk
    private let handle: OpaquePointer

    init(_ desk: Desk) throws {
        guard let handle = capacity_mixer_create(desk.handle) else { throw BenchmarkError.noMixer(desk) }
        (self.desk, self.handle) = (desk, handle)
    }

    deinit { capacity_mixer_destroy(handle) }

    /// Nanoseconds of the core's next cycle; and of the additions for such a period.
    func cycle() -> Double { Double(capacity_mixer_cycle(handle)) }
    func additions() -> Double { Double(capacity_mixer_bound(handle)) }

    /// Throws unless the last period is what it should be.
    func check() throws {
        let difference = capacity_mixer_difference(handle)
        guard difference < 1e-3 else { throw BenchmarkError.wrongMixer(desk, difference) }
    }
}
