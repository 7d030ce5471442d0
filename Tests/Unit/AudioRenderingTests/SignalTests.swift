import TestSupport
import Testing

/// The signal checks that other tests apply to recordings.
struct SignalTests {
    private let whole = Signal.counting(frames: 400)

    @Test("A counting signal breaks where a frame is missing, doubled or changed, and where a cycle is missing")
    func breaks() {
        func firstBreak(_ samples: [Float], mayMissCycles: Bool = false) -> String? {
            Signal.firstBreak(inCounting: samples, cycle: 100, mayMissCycles: mayMissCycles)
        }
        #expect(firstBreak(whole) == nil && firstBreak(Array(whole[50...])) == nil && firstBreak([]) == nil)
        var changed = whole
        changed[250] = 0
        let missing = Array(whole[..<150] + whole[151...])
        let doubled = Array(whole[..<150] + whole[149...])
        let half = Array(whole[..<100] + whole[150...])
        let repeated = Array(whole[..<200] + whole[100...])
        for mayMissCycles in [false, true] {
            #expect(firstBreak(changed, mayMissCycles: mayMissCycles) == "frame 250: 0 is not 251")
            #expect(firstBreak(missing, mayMissCycles: mayMissCycles) == "frame 150: 152 is not 151")
            #expect(firstBreak(doubled, mayMissCycles: mayMissCycles) == "frame 150: 150 is not 151")
            #expect(firstBreak(half, mayMissCycles: mayMissCycles) == "frame 100: 151 is not 101")
            #expect(firstBreak(repeated, mayMissCycles: mayMissCycles) == "frame 200: 101 is not 201")
        }
        let skipped = Array(whole[..<100] + whole[200...])
        let silent = skipped[..<100] + [Float](repeating: 0, count: 100) + skipped[100...]
        #expect(firstBreak(skipped) == "frame 100: 201 is not 101" && firstBreak(skipped, mayMissCycles: true) == nil)
        #expect(firstBreak(Array(silent)) == "frame 100: 0 is not 101")
        #expect(firstBreak(Array(silent), mayMissCycles: true) == nil)
        // Cycle 1 ends with frames of cycle 2 or 3; cycle 3 follows, or else an earlier one.
        for (later, next, isAccepted) in [
            (2, 3, true), (3, 3, true), (3, 2, false), (2, 2, false), (2, 1, false), (1, 2, true),
        ] {
            let torn = whole[..<150] + whole[(later * 100 + 50)..<(later * 100 + 100)]
            let found = firstBreak(Array(torn + whole[(next * 100)...]), mayMissCycles: true)
            #expect((found == nil) == isAccepted, "\(later), \(next): \(found ?? "")")
            #expect(firstBreak(Array(torn)) == (later == 1 ? nil : "frame 150: \(later * 100 + 51) is not 151"))
        }
        let twice = whole[..<50] + whole[150..<250] + whole[350...]
        #expect(firstBreak(Array(twice), mayMissCycles: true) == "frame 150: 351 is not 251")
        let cut = whole[..<100] + [Float](repeating: 0, count: 200)
        #expect(firstBreak(Array(cut), mayMissCycles: true) == "200 of 300 frames are silent")
    }
}
