import CCapacity

/// The samples that the voices read: few that stay in the cache, or more than the cache holds.
enum DataKind: String, CaseIterable {
    case hot, cold
}

enum SourceKind: String {
    case mono, stereo
}

/// How the gains change during the measurement.
enum GainKind: String {
    /// Constant gains.
    case flat
    /// Gain and pan of every voice ramp all the time.
    case ramping
    /// Every voice got a new gain for the cycle.
    case commanded
}

/// The conditions of a measurement.
struct MixConditions: Hashable {
    var voices = 256
    var frames = 64
    var data = DataKind.hot
    var sources = SourceKind.mono
    var gain = GainKind.ramping
    var pitched = false

    static let sampleRate = 48000
    var periodNanoseconds: Double { Double(frames) / Double(Self.sampleRate) * 1e9 }

    /// Hot: eight sources of 1,024 frames, 32 KiB when mono. Cold: every voice has a source of its
    /// own, and each is read once before any is read again.
    func scene(coldBytes: Int) -> capacity_scene_t {
        let channels = sources == .mono ? 1 : 2
        let length = data == .hot ? 1024 : coldBytes / (4 * voices * channels)
        return capacity_scene_t(
            voices: UInt32(voices), idle_voices: 0, frames: UInt32(frames),
            sources: UInt32(data == .hot ? min(voices, 8) : voices),
            source_frames: UInt32(max(1, length / frames) * frames), channels: UInt32(channels), motion: motion,
            pitched: pitched)
    }

    private var motion: capacity_motion_t {
        switch gain {
        case .flat: CAPACITY_FLAT
        case .ramping: CAPACITY_RAMPING
        case .commanded: CAPACITY_COMMANDED
        }
    }

    var text: String {
        "\(voices) voices, \(frames) frames, \(data), \(sources), \(gain)\(pitched ? ", pitched" : "")"
    }
}
