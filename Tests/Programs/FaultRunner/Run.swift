import Foundation
import Platform

/// One story under one script, and what is wrong after it.
struct Run {
    let jack: FakeJack
    /// Seconds that it may take in all; then the process ends, since what hangs cannot be taken back.
    var limit = 60.0
    /// Whether what is left over counts: not what is made once and kept.
    var countsLeaks = true

    struct Outcome {
        var faults: [String]
        var fired: Int
        var lines: [String]
    }

    /// Runs it on a thread of its own. `after` runs when it has been told, before resources are compared.
    func tell(
        _ telling: @escaping Story.Telling, script: [String], quiet: Bool, setting: (inout Story) -> Void = { _ in },
        after: () -> Void = {}
    ) throws -> Outcome {
        try jack.begin(Story.stage + script)
        let before = try RunResources(jack)
        let diary = Diary(isPrinted: !quiet)
        var story = Story(jack: jack, diary: diary)
        setting(&story)
        let done = Answer<String>()
        let thread = WorkerThread()
        guard
            thread.start(
                name: "runner-story",
                { [story] in
                    do {
                        try telling(story)
                        done.set("")
                    } catch {
                        done.set("the story broke off: \(error)")
                    }
                })
        else { return Outcome(faults: ["there is no thread for the story"], fired: 0, lines: []) }
        guard let end = done.wait(seconds: limit) else {
            for line in diary.noted where quiet { say("  \(line)") }
            say("FAULT: it hangs: not over after \(limit) s, under \(script.joined(separator: "; "))")
            exit(3)
        }
        thread.join(seconds: 5)
        after()
        jack.act("release")
        return Outcome(
            faults: try findFaults(since: before, diary) + (end.isEmpty ? [] : [end]), fired: jack.counts["fired"] ?? 0,
            lines: diary.noted)
    }

    private func findFaults(since before: RunResources, _ diary: Diary) throws -> [String] {
        var faults = diary.noted.filter { $0.hasPrefix("FAULT: ") }.map { String($0.dropFirst(7)) }
        if countsLeaks, let leak = try RunResources.findLeak(since: before, jack) {
            faults.append("left over: \(leak)")
        }
        let counts = jack.counts
        if let garbage = counts["garbage"], garbage > 0 {
            faults.append("\(garbage) cycles left garbage in port buffers")
        }
        if let misuse = jack.misuse { faults.append("misuse of libjack: \(misuse)") }
        if let under = counts["underWay"], under > 0 { faults.append("\(under) calls are still under way") }
        return faults
    }
}
