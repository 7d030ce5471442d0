/// Records the steps of a tuning. Frames and xruns are counted from the start of the tuning, even
/// if the driver's counters are reset.
struct TuningLog {
    private var last: IOBufferTuning.Facts?
    private var frame = 0
    private var seconds = 0.0
    private var xruns = 0
    private var steps: [IOBufferTuner.Step] = []

    /// Adds the frames and xruns since the previous measurement to the totals.
    mutating func update(_ facts: IOBufferTuning.Facts) {
        defer { last = facts }
        guard let last else { return }
        let rendered = facts.frame >= last.frame ? Int(clamping: facts.frame - last.frame) : 0
        frame += rendered
        seconds += Double(rendered) / Double(last.sampleRate)
        // A driver that was reopened starts counting again.
        xruns += facts.xruns >= last.xruns ? facts.xruns - last.xruns : facts.xruns
    }

    mutating func append(_ kind: IOBufferTuner.Step.Kind) {
        steps.append(
            IOBufferTuner.Step(
                kind: kind, frame: frame, seconds: seconds, periodFrames: last?.periodFrames ?? 0, xruns: xruns))
    }

    mutating func takeSteps() -> [IOBufferTuner.Step] {
        defer { steps = [] }
        return steps
    }
}
