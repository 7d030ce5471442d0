/// The measurements at one moment.
package struct TuningFacts: Equatable, Sendable {
    /// Frames rendered and xruns counted so far, each from an arbitrary origin.
    package var frame: UInt64
    package var xruns: Int
    package var sampleRate: Int
    package var periodFrames: Int
    package var server: String
    /// Monotonic time; used only to detect rendering that falls behind real time (rule 2).
    package var time: Duration

    package init(frame: UInt64, xruns: Int, sampleRate: Int, periodFrames: Int, server: String, time: Duration) {
        self.frame = frame
        self.xruns = xruns
        self.sampleRate = sampleRate
        self.periodFrames = periodFrames
        self.server = server
        self.time = time
    }
}

/// Records the steps of a tuning. Frames and xruns are counted from the start of the tuning, even
/// if the driver's counters are reset.
struct TuningLog {
    private var last: TuningFacts?
    private var frame = 0
    private var seconds = 0.0
    private var xruns = 0
    private var steps: [IOBufferTuningStep] = []

    /// Adds the frames and xruns since the previous measurement to the totals.
    mutating func update(_ facts: TuningFacts) {
        defer { last = facts }
        guard let last else { return }
        let rendered = facts.frame >= last.frame ? Int(clamping: facts.frame - last.frame) : 0
        frame += rendered
        seconds += Double(rendered) / Double(last.sampleRate)
        // A driver that was reopened starts counting again.
        xruns += facts.xruns >= last.xruns ? facts.xruns - last.xruns : facts.xruns
    }

    mutating func append(_ kind: IOBufferTuningStep.Kind) {
        steps.append(
            IOBufferTuningStep(
                kind: kind, frame: frame, seconds: seconds, periodFrames: last?.periodFrames ?? 0, xruns: xruns))
    }

    mutating func takeSteps() -> [IOBufferTuningStep] {
        defer { steps = [] }
        return steps
    }
}
