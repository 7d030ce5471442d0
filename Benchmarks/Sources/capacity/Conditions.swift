import CRenderCore
import Processes
import Reporting

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
    /// Every voice gets a new gain before every cycle, and reaches it at the cycle's end.
    case commanded
}

/// The subjects of the timing.
enum Subject: CaseIterable {
    case core, bound, openal

    var name: String { name(pitched: false) }

    func name(pitched: Bool) -> String {
        switch self {
        case .core: "swift-audio-session"
        case .bound: pitched ? "bare 4-point loop" : "bare multiply-add loop"
        case .openal: (try? OpenALProperties.found.get().name) ?? "OpenAL Soft"
        }
    }
}

/// The conditions of a line of the results, as JSON has them.
typealias Parameters = Reporting.Conditions

/// The conditions of a measurement: voices in one bus of a stereo output.
struct MixConditions: Hashable {
    var voices = 256
    var frames = 64
    var data = DataKind.hot
    var sources = SourceKind.mono
    var gain = GainKind.ramping
    var pitched = false

    static let sampleRate = 48000
    var periodNanoseconds: Double { Double(frames) / Double(Self.sampleRate) * 1e9 }

    var text: String {
        "\(voices) voices, \(frames) frames, \(data), \(sources), \(gain)\(pitched ? ", pitched" : "")"
    }

    var parameters: Parameters {
        [
            "voices": .whole(voices), "frames": .whole(frames), "data": .text(data.rawValue),
            "sources": .text(sources.rawValue), "gain": .text(gain.rawValue), "pitched": .flag(pitched),
            "sampleRate": .whole(Self.sampleRate),
        ]
    }

    /// The metric of the cost per voice and frame.
    var metric: String { pitched ? "mix.pitched_ns_per_voice_frame" : "mix.ns_per_voice_frame" }

    /// Returns the parameters of a curve against one of them.
    func without(_ parameter: String) -> Parameters {
        Parameters(parameters.values.filter { $0.key != parameter })
    }

    /// Hot: eight sources of 1,024 frames, 32 KiB when mono. Cold: every voice has a source of its
    /// own, and each is read once before any is read again.
    func mix(coldBytes: Int) throws -> Mix {
        let channels = sources == .mono ? 1 : 2
        let length = data == .hot ? 1024 : coldBytes / (4 * voices * channels)
        let samples = try Samples(
            count: data == .hot ? min(voices, 8) : voices, frames: max(1, length / frames) * frames,
            channels: channels, period: frames)
        return Mix(
            text: text,
            voices: Voices(
                samples: samples, count: voices, frames: frames, isPanned: sources == .mono, motion: gain,
                isPitched: pitched))
    }

    func corePlayer(_ mix: Mix, idleVoices: Int = 0, build: CoreBuild? = nil) throws -> CorePlayer {
        var plan = Plan()
        plan.addBus(0, 2)
        plan.addRoutes(1, 2)
        plan.connections = [(bus: 0, route: 0)]
        return try CorePlayer(
            mix, rcore_config_default(), plan, commands: 3 * voices + 1024, idleVoices: idleVoices, build: build)
    }

    func player(_ subject: Subject, _ mix: Mix) throws -> any Player {
        switch subject {
        case .core: try corePlayer(mix)
        case .bound: BoundPlayer(subject.name(pitched: pitched), mix)
        case .openal: try OpenALPlayer(mix)
        }
    }
}
