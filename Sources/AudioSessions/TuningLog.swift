/// What happened while a buffer was tuned, in the words of its steps: time and xruns are counted from the beginning, whatever the driver's counters
/// did meanwhile.
struct TuningLog {
    private var last: IOBufferTuning.Facts?
    private var frame = 0
    private var seconds = 0.0
    private var xruns = 0
    private var steps: [IOBufferTuner.Step] = []

    mutating func follow(_ facts: IOBufferTuning.Facts) {
        defer { last = facts }
        guard let last else { return }
        let rendered = facts.frame >= last.frame ? Int(clamping: facts.frame - last.frame) : 0
        frame += rendered
        seconds += Double(rendered) / Double(last.sampleRate)
        // A driver that was opened anew counts anew.
        xruns += facts.xruns >= last.xruns ? facts.xruns - last.xruns : facts.xruns
    }

    mutating func note(_ kind: IOBufferTuner.Step.Kind) {
        steps.append(
            IOBufferTuner.Step(
                kind: kind, frame: frame, seconds: seconds, periodFrames: last?.periodFrames ?? 0, xruns: xruns))
    }

    mutating func take() -> [IOBufferTuner.Step] {
        defer { steps = [] }
        return steps
    }
}
