import Reporting

/// The conditions of a line of the results, as JSON has them.
typealias Parameters = Reporting.Conditions

extension MixConditions {
    var parameters: Parameters {
        [
            "voices": .whole(voices), "frames": .whole(frames), "data": .text(data.rawValue),
            "sources": .text(sources.rawValue), "gain": .text(gain.rawValue), "pitched": .flag(pitched),
            "sampleRate": .whole(Self.sampleRate),
        ]
    }
}

extension Topology {
    var parameters: Parameters {
        let sources = sourceChannels == 1 ? "mono" : sourceChannels == 2 ? "stereo" : "\(sourceChannels) channels"
        return MixConditions(voices: voices, frames: frames, gain: .flat).parameters.with([
            "sources": .text(sources), "buses": .whole(buses), "routes": .whole(routes), "channels": .whole(channels),
            "spread": .text(spread.rawValue),
        ])
    }
}
