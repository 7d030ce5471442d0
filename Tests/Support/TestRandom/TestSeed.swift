import Glibc

/// The seed of this run's random tests: the environment variable `SEED`, a decimal 64-bit number,
/// or, if it is not set, the number of days since 1970. All runs of one day thus test the same
/// cases, and each day's runs test different ones.
///
/// A random test names the seed when it fails (`TestSeed.text`); `SEED=… swift test --filter …`
/// repeats it.
package enum TestSeed {
    package static let current: UInt64 = {
        do { return try parse(getenv("SEED").map { String(cString: $0) }) } catch {
            preconditionFailure("\(error)")
        }
    }()

    /// The setting that repeats this run, for failure messages: `SEED=20779`.
    package static var text: String { "SEED=\(current)" }

    /// Returns the seed of one of several random cases of a run. Unlike `current + case`, no two
    /// days share a case.
    package static func ofCase(_ number: UInt64) -> UInt64 {
        var generator = SeededGenerator(seed: current, step: number)
        return generator.next()
    }

    /// Parses the value of `SEED`. Without one, returns the number of days since 1970.
    package static func parse(_ text: String?) throws(SeedError) -> UInt64 {
        guard let text, !text.isEmpty else { return UInt64(max(0, time(nil))) / 86_400 }
        guard text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let seed = UInt64(text) else {
            throw SeedError(text: text)
        }
        return seed
    }

    package struct SeedError: Error, Equatable, CustomStringConvertible {
        package let text: String

        package var description: String {
            "The environment variable SEED is '\(text)'; set it to a decimal number from 0 to \(UInt64.max), or unset it."
        }
    }
}
