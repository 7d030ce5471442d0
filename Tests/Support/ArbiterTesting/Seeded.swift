/// A generator of random numbers that gives the same numbers for the same seed (SplitMix64).
package struct Seeded: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(_ seed: UInt64) { state = seed }

    /// The one of a place in a sequence: what happens there can be had alone again.
    package init(_ seed: UInt64, at place: UInt64) {
        state = seed
        state = next() ^ (place &* 0xD134_2543_DE82_EF95)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    package mutating func below(_ end: Int) -> Int { end <= 1 ? 0 : Int(next() % UInt64(end)) }

    /// One time in `count`.
    package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
