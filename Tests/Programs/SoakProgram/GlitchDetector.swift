/// Finds what is wrong with a counting signal.
///
/// Its frames are n / 2^20, n from 1 to 2^20 over and over. What arrives is cut into runs that count on, runs of silence, and what is rough
/// between them: fades, and faults.
struct GlitchDetector {
    enum Fault: String {
        /// A step that no fade makes.
        case click
        /// It goes on at another frame: some are missing or repeated.
        case jump
        /// It changes, far from all that happened.
        case unexplained
        /// It neither counts nor fades, for long.
        case torn
        /// It is heard where silence is due.
        case leak
        /// What was not to be touched was.
        case touched
    }

    struct Glitch {
        var fault: Fault
        var channel: Int
        var frame: Int
        var what: String
    }

    struct Findings {
        var glitches: [Glitch] = []
        /// Put down to a cycle that the server did not finish in time.
        var excused = 0
        /// Frames that are missing there.
        var lostFrames = 0
        /// Put down to a server that leaves periods out and does not say so.
        var gaps = 0
        var frames = 0
        var fades = 0
        /// Silences behind which it went on at the next frame.
        var pauses = 0
    }

    /// As from one frame to the next of the signal.
    private static let slope: Float = 1 / 1_048_576
    /// What a fade of 5 ms makes at most of full scale, two at once, with some room: linear it is 1/220 at 44.1 kHz.
    private static let largestStep: Float = 0.014
    private static let shortestRun = 16

    let sampleRate: Int
    /// Resampled on its way: it counts by other steps, about.
    let isApproximate: Bool
    /// Of a server that leaves periods out, and puts empty ones in, when its graph changes or it is late, and counts none.
    let mayGap: Bool
    let channel: Int
    let notes: RecordingDevice.Notes
    /// Between what happened and its end in what was kept: the disk takes its time.
    private var lag: Int { sampleRate / 2 }
    /// A fade, one more right behind it, and a cross-fade of routes.
    private var longestFade: Int { sampleRate / 200 * 2 + 240 + 64 }

    private enum Shape: Equatable { case counting, silent, rough }
    private struct Run {
        var shape: Shape
        var begin: Int
        /// The first frame that is not of it.
        var end: Int
    }

    func examine(_ samples: UnsafeBufferPointer<Float>) -> Findings {
        var findings = Findings(frames: samples.count)
        let runs = cut(samples)
        for index in runs.indices.dropFirst() {
            let (before, run) = (runs[index - 1], runs[index])
            if run.shape == .rough {
                // What is cut off by the end of the device has no end of its own.
                if index + 1 < runs.count { judge(samples, run, before, runs[index + 1], &findings) }
            } else if before.shape != .rough {
                judge(samples, Run(shape: .rough, begin: run.begin, end: run.begin), before, run, &findings)
            }
        }
        if !isApproximate { findPauses(samples, runs, &findings) }
        findings.glitches += findLeaks(samples)
        return findings
    }

    // ---- Runs ---------------------------------------------------------------------------------------------------------------------

    private func cut(_ samples: UnsafeBufferPointer<Float>) -> [Run] {
        var runs: [Run] = []
        var place = 0
        while place < samples.count {
            let run = nextRun(samples, from: place)
            place = run.end
            if run.shape == .rough, runs.last?.shape == .rough {
                runs[runs.count - 1].end = run.end
            } else {
                runs.append(run)
            }
        }
        return runs
    }

    /// A run that is too short to be one is rough.
    private func nextRun(_ samples: UnsafeBufferPointer<Float>, from begin: Int) -> Run {
        var end = begin + 1
        if samples[begin] == 0 {
            while end < samples.count, samples[end] == 0 { end += 1 }
            return Run(shape: end - begin >= Self.shortestRun ? .silent : .rough, begin: begin, end: end)
        }
        while end < samples.count, counts(samples[end - 1], samples[end]) { end += 1 }
        return Run(shape: end - begin >= Self.shortestRun ? .counting : .rough, begin: begin, end: end)
    }

    private func counts(_ a: Float, _ b: Float) -> Bool {
        if isApproximate { return abs(b - a - Self.slope) < 1.5 * Self.slope && b != 0 }
        return b - a == Self.slope || (a == 1 && b == Self.slope)
    }

    // ---- Judgement ----------------------------------------------------------------------------------------------------------------

    /// What lies between two runs; nothing where they meet.
    private func judge(
        _ samples: UnsafeBufferPointer<Float>, _ rough: Run, _ before: Run, _ after: Run, _ findings: inout Findings
    ) {
        // The signal begins anew, and the resampler rings about it.
        if isApproximate, samples[before.end - 1] > 0.99, samples[after.begin] < 0.01, rough.end - rough.begin < 600 {
            return
        }
        guard let (fault, what) = fault(samples, rough, before, after) else {
            findings.fades += 1
            return
        }
        if mayGap, fault == .click || ((fault == .jump || fault == .touched) && rough.begin == rough.end) {
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

    private func fault(
        _ samples: UnsafeBufferPointer<Float>, _ rough: Run, _ before: Run, _ after: Run
    ) -> (Fault, String)? {
        let natures = natures(at: rough)
        if natures.contains(where: { if case .cut = $0 { true } else { false } }) { return nil }
        if let span = touched(rough) {
            return (
                .touched,
                "frames \(rough.begin)..<\(rough.end) within event #\(span.event), which was to leave it alone"
            )
        }
        let mayStart = natures.contains { if case .starts = $0 { true } else { false } }
        // A resampler rings about its beginning.
        if mayStart, before.shape == .silent, rough.end - rough.begin <= (isApproximate ? 600 : 0) { return nil }
        if let step = largestStep(samples, rough) {
            return (.click, "a step of \(step.size) to frame \(step.frame)")
        }
        if before.shape == .counting, after.shape == .counting {
            let missing = missing(samples, before, after)
            let mayMove = natures.contains { if case .moves = $0 { true } else { false } }
            // So near to its beginning a fade of what is resampled looks like a count.
            let isFaint = isApproximate && samples[after.begin] < 0.004
            if !isFaint, abs(missing) > (isApproximate ? 16 + rough.end - rough.begin : 0),
                !mayMove || rough.begin == rough.end
            {
                return (.jump, "\(missing) frames are missing (negative: too many) from frame \(rough.begin) on")
            }
        }
        if rough.end - rough.begin > longestFade {
            return (.torn, "\(rough.end - rough.begin) frames from \(rough.begin) on neither count nor are silent")
        }
        let isKnown = natures.contains {
            switch $0 {
            case .fades, .moves, .starts, .pauses: true
            case .graph, .cut, .silent, .untouched: false
            }
        }
        return isKnown ? nil : (.unexplained, "frames \(rough.begin)..<\(rough.end) change, and nothing happened")
    }

    /// What was going on then.
    private func natures(at rough: Run) -> [Span.Nature] {
        notes.spans.filter { $0.begin <= rough.end && rough.begin < reach($0.end) }.map(\.nature)
    }

    private func reach(_ end: Int) -> Int { end == .max ? .max : end + lag }

    /// Frames that the signal left out from one run to the other.
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
            // The signal's own end, within a fade.
            let size = a > 0.9 && b < 0.001 && !isApproximate ? 0 : abs(b - a)
            if size > largest.size || size.isNaN { largest = (size, frame) }
        }
        return largest.size > Self.largestStep || largest.size.isNaN ? largest : nil
    }

    private func touched(_ rough: Run) -> Span? {
        notes.spans.first { span in
            guard case .untouched(channel) = span.nature else { return false }
            return span.begin <= rough.begin && rough.begin < span.end
        }
    }

    /// Whether the server counted a cycle there that was not done in time. What it tells comes a little late, what is kept a little later.
    private func isExcused(_ rough: Run) -> Bool {
        notes.xruns.contains { $0 - sampleRate / 5 <= rough.end && rough.begin < $0 + lag }
    }

    /// INT-8: what was interrupted, and nothing else, goes on at the frame after the last that was rendered, fades included.
    private func findPauses(_ samples: UnsafeBufferPointer<Float>, _ runs: [Run], _ findings: inout Findings) {
        for last in runs.indices where last >= 4 {
            let five = Array(runs[(last - 4)...last])
            guard five.map(\.shape) == [.counting, .rough, .silent, .rough, .counting] else { continue }
            let natures = notes.spans.filter { $0.begin <= five[3].end && five[1].begin <= $0.end }.map(\.nature)
            let onlyPauses = natures.allSatisfy { if case .pauses = $0 { true } else { false } }
            guard !natures.isEmpty, onlyPauses, !isExcused(five[1]), !isExcused(five[3]) else { continue }
            // Of what lies between, the silence was not rendered; a fade begins and ends with none.
            let missing = missing(samples, five[0], five[4]) + five[2].end - five[2].begin
            findings.pauses += 1
            guard abs(missing) > 4 else { continue }
            findings.glitches.append(
                Glitch(
                    fault: .jump, channel: channel, frame: five[3].begin,
                    what: "behind an interruption \(missing) frames are missing (negative: too many) (INT-8)"))
        }
    }

    private func findLeaks(_ samples: UnsafeBufferPointer<Float>) -> [Glitch] {
        notes.spans.compactMap { span in
            guard case .silent(channel) = span.nature else { return nil }
            let end = min(span.end, samples.count)
            // What was heard before may still fade out.
            guard let silence = (span.begin..<max(span.begin, end)).first(where: { samples[$0] == 0 }),
                let sound = (silence..<end).first(where: { samples[$0] != 0 })
            else { return nil }
            return Glitch(
                fault: .leak, channel: channel, frame: sound,
                what: "\(samples[sound]) at frame \(sound), where silence was due by event #\(span.event) (ROUTE-4)")
        }
    }
}
