/// Detects errors in a counting signal.
///
/// Frame values are n / 2^20, with n repeating from 1 to 2^20. The detector divides the recording
/// into runs that count, runs of silence, and rough runs between them: fades, and faults.
struct GlitchDetector {
    enum Fault: String {
        /// A step that is larger than any step of a fade.
        case click
        /// The signal continues at another frame: some frames are missing or repeated.
        case jump
        /// The signal changes, far from any event.
        case unexplained
        /// The signal neither counts nor fades, for a long time.
        case garbled
        /// There is sound where silence is required.
        case leak
        /// There is a change on a channel that must not change.
        case disturbed
    }

    struct Glitch {
        var fault: Fault
        var channel: Int
        var frame: Int
        var what: String
    }

    struct Findings {
        var glitches: [Glitch] = []
        /// The number of faults attributed to a cycle that the server did not finish in time.
        var excused = 0
        /// The number of frames missing at those faults.
        var lostFrames = 0
        /// The number of faults attributed to a server that omits periods without reporting an
        /// xrun.
        var gaps = 0
        var frames = 0
        var fades = 0
        /// The number of silences after which the signal continued at the next frame.
        var pauses = 0
    }

    /// The step from one frame of the signal to the next.
    private static let slope: Float = 1 / 1_048_576
    /// The largest step of two simultaneous fades of 5 ms at full scale, with some margin. The step
    /// of a linear fade is 1/220 at 44.1 kHz.
    private static let largestStep: Float = 0.014
    private static let shortestSilence = 16

    let sampleRate: Int
    /// Whether the signal was resampled, so that its steps are only approximately those of
    /// counting.
    let isApproximate: Bool
    /// Whether the server omits periods and inserts empty ones, without counting an xrun, when its
    /// graph changes or it is late.
    let mayGap: Bool
    let channel: Int
    let notes: RecordingDevice.Notes
    /// The number of frames from which a run counts. The first frames of a fade-in from silence
    /// look like a resampled signal that counts: 16 of them if the signal is at frame 4,800.
    private var shortestCount: Int { isApproximate ? 32 : 16 }
    /// The frames by which the recording may lag behind events, because of the disk.
    private var lag: Int { sampleRate / 2 }
    /// The longest rough run: a fade, another right after it, and a crossfade of routes.
    private var longestFade: Int { sampleRate / 200 * 2 + 240 + 64 }

    private enum Shape: Equatable { case counting, silent, rough }
    private struct Run {
        var shape: Shape
        var begin: Int
        /// The end of the run, exclusive.
        var end: Int
    }

    /// Examines one channel of a recording.
    func examine(_ samples: UnsafeBufferPointer<Float>) -> Findings {
        var findings = Findings(frames: samples.count)
        let runs = splitIntoRuns(samples)
        for index in runs.indices.dropFirst() {
            let (before, run) = (runs[index - 1], runs[index])
            if run.shape == .rough {
                // A run that the end of the device cuts off has no end of its own.
                if index + 1 < runs.count { classify(samples, run, before, runs[index + 1], &findings) }
            } else if before.shape != .rough {
                classify(samples, Run(shape: .rough, begin: run.begin, end: run.begin), before, run, &findings)
            }
        }
        if !isApproximate { findPauses(samples, runs, &findings) }
        findings.glitches += findLeaks(samples)
        return findings
    }

    // ---- Runs
    // ---------------------------------------------------------------------------------------

    /// Divides the recording into runs; adjacent rough runs are joined.
    private func splitIntoRuns(_ samples: UnsafeBufferPointer<Float>) -> [Run] {
        var runs: [Run] = []
        var frame = 0
        while frame < samples.count {
            let run = nextRun(samples, from: frame)
            frame = run.end
            if run.shape == .rough, runs.last?.shape == .rough {
                runs[runs.count - 1].end = run.end
            } else {
                runs.append(run)
            }
        }
        return runs
    }

    /// Returns the run that begins at a frame. A run that is too short to classify is rough.
    private func nextRun(_ samples: UnsafeBufferPointer<Float>, from begin: Int) -> Run {
        var end = begin + 1
        if samples[begin] == 0 {
            while end < samples.count, samples[end] == 0 { end += 1 }
            return Run(shape: end - begin >= Self.shortestSilence ? .silent : .rough, begin: begin, end: end)
        }
        while end < samples.count, counts(samples[end - 1], samples[end]) { end += 1 }
        return Run(shape: end - begin >= shortestCount ? .counting : .rough, begin: begin, end: end)
    }

    private func counts(_ a: Float, _ b: Float) -> Bool {
        if isApproximate { return abs(b - a - Self.slope) < 1.5 * Self.slope && b != 0 }
        return b - a == Self.slope || (a == 1 && b == Self.slope)
    }

    // ---- Classification
    // -----------------------------------------------------------------------------

    /// Classifies the frames between two runs; there are none where the runs meet.
    private func classify(
        _ samples: UnsafeBufferPointer<Float>, _ rough: Run, _ before: Run, _ after: Run, _ findings: inout Findings
    ) {
        // The signal repeats, and the resampler rings around that frame.
        if isApproximate, samples[before.end - 1] > 0.99, samples[after.begin] < 0.01, rough.end - rough.begin < 600 {
            return
        }
        guard let (fault, what) = fault(samples, rough, before, after) else {
            findings.fades += 1
            return
        }
        // Near zero, the step of a gap is as small as that of a fade: it is then unexplained.
        if mayGap, fault == .click || (fault != .garbled && rough.begin == rough.end) {
            findings.gaps += 1
            return
        }
        if isExcused(rough) {
            findings.excused += 1
            if fault == .jump { findings.lostFrames += max(0, missing(samples, before, after)) }
            return
        }
        findings.glitches.append(Glitch(fault: fault, channel: channel, frame: rough.begin, what: what))
    }

    /// Returns the fault between two runs and its description; nil if an event explains the change.
    private func fault(
        _ samples: UnsafeBufferPointer<Float>, _ rough: Run, _ before: Run, _ after: Run
    ) -> (Fault, String)? {
        let natures = natures(at: rough)
        if natures.contains(where: { if case .cut = $0 { true } else { false } }) { return nil }
        if let span = untouchedSpan(at: rough) {
            return (
                .disturbed,
                "frames \(rough.begin)..<\(rough.end) changed within event #\(span.event), which must not affect this channel"
            )
        }
        let mayStart = natures.contains { if case .starts = $0 { true } else { false } }
        // A resampler rings around the start of the signal.
        if mayStart, before.shape == .silent, rough.end - rough.begin <= (isApproximate ? 600 : 0) { return nil }
        if let step = largestStep(samples, rough) {
            return (.click, "a step of \(step.size) to frame \(step.frame)")
        }
        if before.shape == .counting, after.shape == .counting {
            let missing = missing(samples, before, after)
            let mayMove = natures.contains { if case .moves = $0 { true } else { false } }
            // This near to the start, a fade of a resampled signal looks like counting.
            let isFaint = isApproximate && samples[after.begin] < 0.004
            if !isFaint, abs(missing) > (isApproximate ? 16 + rough.end - rough.begin : 0),
                !mayMove || rough.begin == rough.end
            {
                return (.jump, "\(missing) frames are missing (negative: repeated) from frame \(rough.begin) on")
            }
        }
        if rough.end - rough.begin > longestFade {
            return (
                .garbled, "\(rough.end - rough.begin) frames from \(rough.begin) on are neither counting nor silent"
            )
        }
        let isKnown = natures.contains {
            switch $0 {
            case .fades, .moves, .starts, .pauses: true
            case .graph, .cut, .silent, .untouched: false
            }
        }
        return isKnown ? nil : (.unexplained, "frames \(rough.begin)..<\(rough.end) change without an event")
    }

    /// Returns the kinds of events at the time of a run.
    private func natures(at rough: Run) -> [Span.Nature] {
        notes.spans.filter { $0.begin <= rough.end && rough.begin < endOfEffects($0.end) }.map(\.nature)
    }

    /// Returns the frame up to which an event that ended at `end` may affect the recording.
    private func endOfEffects(_ end: Int) -> Int { end == .max ? .max : end + lag }

    /// Returns the number of frames that the signal omitted between two runs.
    private func missing(_ samples: UnsafeBufferPointer<Float>, _ before: Run, _ after: Run) -> Int {
        let (last, first) = (
            Int(samples[before.end - 1] * 1_048_576 + 0.5), Int(samples[after.begin] * 1_048_576 + 0.5)
        )
        let wrapped = ((first - last - (after.begin - before.end + 1)) % 1_048_576 + 1_048_576) % 1_048_576
        return wrapped > 524_288 ? wrapped - 1_048_576 : wrapped
    }

    private func largestStep(_ samples: UnsafeBufferPointer<Float>, _ rough: Run) -> (size: Float, frame: Int)? {
        var largest: (size: Float, frame: Int) = (0, 0)
        for frame in max(1, rough.begin)...min(samples.count - 1, rough.end) {
            let (a, b) = (samples[frame - 1], samples[frame])
            // The end of the signal itself, within a fade.
            let size = a > 0.9 && b < 0.001 && !isApproximate ? 0 : abs(b - a)
            if size > largest.size || size.isNaN { largest = (size, frame) }
        }
        return largest.size > Self.largestStep || largest.size.isNaN ? largest : nil
    }

    private func untouchedSpan(at rough: Run) -> Span? {
        notes.spans.first { span in
            guard case .untouched(channel) = span.nature else { return false }
            return span.begin <= rough.begin && rough.begin < span.end
        }
    }

    /// Whether the server counted an xrun near the run. The report arrives slightly late, and the
    /// recording later still.
    private func isExcused(_ rough: Run) -> Bool {
        notes.xruns.contains { $0 - sampleRate / 5 <= rough.end && rough.begin < $0 + lag }
    }

    /// INT-8: an interrupted signal, if nothing else happened, continues at the frame after the
    /// last rendered one, fades included.
    private func findPauses(_ samples: UnsafeBufferPointer<Float>, _ runs: [Run], _ findings: inout Findings) {
        for last in runs.indices where last >= 4 {
            let five = Array(runs[(last - 4)...last])
            guard five.map(\.shape) == [.counting, .rough, .silent, .rough, .counting] else { continue }
            let natures = notes.spans.filter { $0.begin <= five[3].end && five[1].begin <= $0.end }.map(\.nature)
            let onlyPauses = natures.allSatisfy { if case .pauses = $0 { true } else { false } }
            guard !natures.isEmpty, onlyPauses, !isExcused(five[1]), !isExcused(five[3]) else { continue }
            // Of the frames in between, the silence was not rendered. A fade begins and ends with
            // silence.
            let missing = missing(samples, five[0], five[4]) + five[2].end - five[2].begin
            findings.pauses += 1
            guard abs(missing) > 4 else { continue }
            findings.glitches.append(
                Glitch(
                    fault: .jump, channel: channel, frame: five[3].begin,
                    what: "after an interruption \(missing) frames are missing (negative: repeated) (INT-8)"))
        }
    }

    private func findLeaks(_ samples: UnsafeBufferPointer<Float>) -> [Glitch] {
        notes.spans.compactMap { span in
            guard case .silent(channel) = span.nature else { return nil }
            let end = min(span.end, samples.count)
            // Sound from before the event may still fade out.
            guard let silence = (span.begin..<max(span.begin, end)).first(where: { samples[$0] == 0 }),
                let sound = (silence..<end).first(where: { samples[$0] != 0 })
            else { return nil }
            return Glitch(
                fault: .leak, channel: channel, frame: sound,
                what: "\(samples[sound]) at frame \(sound), where event #\(span.event) requires silence (ROUTE-4)")
        }
    }
}
