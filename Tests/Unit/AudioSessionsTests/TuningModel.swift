import AudioSessions

/// A machine and its server, as far as a tuner sees them, and what the tuner makes of them.
struct TuningModel {
    var tuning: IOBufferTuning
    var facts: IOBufferTuning.Facts
    /// The period that the server has when it is asked for one.
    var gives: (_ asked: Int, _ present: Int) -> Int = { asked, _ in asked }
    /// Frames until the next xrun under a period, from now; nil: none comes.
    var nextXrun: (_ period: Int, _ frame: UInt64) -> Int? = { _, _ in nil }
    /// How much longer than it lasts the sound takes under a period.
    var slowness: (_ period: Int) -> Double = { _ in 1 }
    /// What happens at a frame, whatever the tuner does: in order.
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

    /// A server whose periods below `shortest` have an xrun every 50 ms.
    mutating func overload(below shortest: Int) {
        let rate = facts.sampleRate
        nextXrun = { period, _ in period < shortest ? rate / 20 : nil }
    }

    /// Adds one xrun at a time of sound from now on.
    mutating func addXrun(after seconds: Double) { add(after: seconds) { $0.facts.xruns += 1 } }

    mutating func add(after seconds: Double, _ body: @escaping (inout TuningModel) -> Void) {
        events.append((facts.frame + UInt64(seconds * Double(facts.sampleRate)), body))
        events.sort { $0.frame < $1.frame }
    }

    /// Lets so much sound be rendered; the tuner looks when it said, and when something happens.
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

    /// Has the tuner look and gives it what it asks for. Returns the frames until it wants to look again; nil: when something changes.
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

    /// The session is not active, or the server is lost.
    mutating func pause() {
        _ = tuning.advance(nil)
        steps += tuning.takeSteps()
    }

    /// The session is active again, and carries its preferred period out again.
    mutating func resume() {
        if let preferred = asked.last { facts.periodFrames = gives(preferred, facts.periodFrames) }
    }

    var kinds: [IOBufferTuner.Step.Kind] { steps.map(\.kind) }
    /// Xruns that were taken seriously.
    var heard: Int { kinds.filter { $0 == .xrun }.count }
    var settlement: IOBufferTuner.Settlement? {
        if case .settled(let reason) = kinds.last { reason } else { nil }
    }
}
