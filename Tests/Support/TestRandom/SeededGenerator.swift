/// A random number generator that returns the same numbers for the same seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// Creates the generator of one step of a sequence, so that the step can be repeated without
    /// those before it.
    package init(seed: UInt64, step: UInt64) {
        state = seed
        state = next() ^ (step &* 0xD134_2543_DE82_EF95)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Returns a number from 0 up to, but not including, `end`; 0 if `end` is 1 or less.
    package mutating func below(_ end: Int) -> Int { end <= 1 ? 0 : Int(next() % UInt64(end)) }

    /// Returns true with a probability of 1 / `count`.
    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
