import TestRandom
import Testing

/// The seed of random tests.
@Suite struct SeedTests {
    @Test("SEED is a decimal number; without it the seed is the number of the day")
    func values() throws {
        #expect(try TestSeed.parse("0") == 0)
        #expect(try TestSeed.parse("18446744073709551615") == .max)
        // Days from 2025 on, and before 3000.
        #expect((20_089..<376_200).contains(try TestSeed.parse(nil)))
        #expect(try TestSeed.parse("") == TestSeed.parse(nil))
    }

    @Test(
        "Other text is refused by name", arguments: ["-1", "+1", "0x10", "1e3", " 1", "18446744073709551616", "day"])
    func refused(_ text: String) {
        let error = #expect(throws: TestSeed.SeedError.self) { try TestSeed.parse(text) }
        #expect(error?.description.contains("SEED is '\(text)'") == true)
    }

    @Test("A seed reproduces its numbers; its cases differ from each other and from those of the next seed")
    func cases() {
        var (first, again) = (SeededGenerator(seed: 5), SeededGenerator(seed: 5))
        #expect((0..<10).map { _ in first.next() } == (0..<10).map { _ in again.next() })
        func cases(of seed: UInt64) -> [UInt64] {
            (0..<1_000 as Range<UInt64>).map { step in
                var generator = SeededGenerator(seed: seed, step: step)
                return generator.next()
            }
        }
        #expect(Set(cases(of: 20_000) + cases(of: 20_001)).count == 2_000)
    }
}
