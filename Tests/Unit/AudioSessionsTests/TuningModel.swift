import AudioSessions

/// A model of a machine and its server from the tuner's view, and of the tuner's decisions.
struct TuningModel {
    var tuning: IOBufferTuning
    var facts: IOBufferTuning.Facts
    /// Returns the period that the server uses after a request.
    var gives: (_ asked: Int, _ present: Int) -> Int = { asked, _ in asked }
    /// Returns the number of frames until the next xrun with a period; nil: no xrun.
    var nextXrun: (_ period: Int, _ frame: UInt64) -> Int? = { _, _ in nil }
    /// Returns by which factor rendering with a period takes longer than its duration.
    var slowness: (_ period: Int) -> Double = { _ in 1 }
    /// Events at given frames, in order, whatever the tuner does.
    var events: [(frame: UInt64, body: (inout TuningModel) -> Void)] = []
    private(set) var asked: [Int] = []
    private(set) var steps: [IOBufferTuner.Step] = []
    private(set) var looks = 0

    init(
        _ configuration: IOBufferTuner.Configuration = IOBufferTuner.Configuration(), periodFrames: Int = 1_024,
        sampleRate: Int = 48_000
    ) {
        tuning = IOBufferTuning(configuration)
        facts = IOBufferTuning.Facts(
            frame: 12_345, xruns: 7, sampleRate: sampleRate, periodFrames: periodFrames, server: "model", time: .zero)
    }

    /// Makes the server have an xrun every 50 ms with periods below `shortest`.
    mutating func overload(below shortest: Int) {
        let rate = facts.sampleRate
        nextXrun = { period, _ in period < shortest ? rate / 20 : nil }
    }

    /// Adds one xrun at this time from now, in seconds of rendered audio.
    mutating func addXrun(after seconds: Double) { add(after: seconds) { $0.facts.xruns += 1 } }

    mutating func add(after seconds: Double, _ body: @escaping (inout TuningModel) -> Void) {
        events.append((facts.frame + UInt64(seconds * Double(facts.sampleRate)), body))
        events.sort { $0.frame < $1.frame }
    }

    /// Renders this much audio. The tuner runs when it asked to, and at every event.
    mutating func run(seconds: Double) {
        let end = facts.frame + UInt64(seconds * Double(facts.sampleRate))
        while true {
            let wait = look()
            let xrun = nextXrun(facts.periodFrames, facts.frame).map { facts.frame + UInt64($0) }
            let moments = [end, wait.map { facts.frame + UInt64($0) }, xrun, events.first?.frame]
            let next = max(facts.frame, moments.compactMap(\.self).min() ?? end)
            let sound = Double(next - facts.frame) / Double(facts.sampleRate)
            facts.time += .seconds(sound * slowness(facts.periodFrames))
            facts.frame = next
            if next == xrun { facts.xruns += 1 }
            while let event = events.first, event.frame <= next {
                events.removeFirst()
                event.body(&self)
            }
            if next >= end { break }
        }
        _ = look()
    }

    /// Runs the tuner and applies its requests. Returns the number of frames until it wants to run
    /// again; nil: when something changes.
    mutating func look() -> Int? {
        while true {
            looks += 1
            let next = tuning.advance(facts)
            steps += tuning.takeSteps()
            switch next {
            case .rest: return nil
            case .look(let frames): return frames
            case .ask(let frames):
                asked.append(frames)
                facts.periodFrames = gives(frames, facts.periodFrames)
            }
        }
    }

    /// Simulates an inactive session or a lost server.
    mutating func pause() {
        _ = tuning.advance(nil)
        steps += tuning.takeSteps()
    }

    /// Simulates reactivation: the session requests its preferred period again.
    mutating func resume() {
        if let preferred = asked.last { facts.periodFrames = gives(preferred, facts.periodFrames) }
    }

    var kinds: [IOBufferTuner.Step.Kind] { steps.map(\.kind) }
    /// The number of xruns that the tuner counted.
    var heard: Int { kinds.filter { $0 == .xrun }.count }
    var settlement: IOBufferTuner.Settlement? {
        if case .settled(let reason) = kinds.last { reason } else { nil }
    }
}
