/// Meters and limiters.
extension EnginePlan {
    /// Whether anything is measured.
    var isMetered: Bool { !meters.isEmpty }

    private var meters: [AudioMeter] {
        outputMeters.values + buses.values.flatMap { [$0.strip] + $0.mixer.strips.values }.compactMap(\.meter)
    }

    func checkUnused(_ meter: AudioMeter?) throws(AudioEngineError) {
        guard let meter else { return }
        guard !meters.contains(where: { $0 === meter }) else {
            throw .invalidArgument(what: "a meter that is in use elsewhere; create another meter")
        }
    }

    /// Whether any part of the plan depends on the sample rate.
    var dependsOnSampleRate: Bool { isMetered || !outputLimiters.isEmpty }

    /// Returns the limiter to use for an output now; nil while a session in measurement mode is
    /// routed to it.
    func limiter(of output: OutputRoute) -> AudioLimiter? {
        let isBypassed = buses.values.contains { !$0.allowsLimiting && outputs(of: $0).contains(output) }
        return isBypassed ? nil : outputLimiters[output]
    }
}
