import Foundation
import TestRandom
import TestSupport

/// What is asked for on the command line.
struct SoakOptions {
    /// What is done wrong on purpose, to see that it is noticed.
    enum Plant: String, CaseIterable { case click, jump, leak }

    var seconds = 600.0
    var seed = TestSeed.current
    var server = SoakServer.Kind.jackd
    /// A folder for glitches and the table; made if it is not there.
    var report = "soak-report"
    var plant: Plant?

    init(_ arguments: [String]) throws {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw TestFailure("\(name) wants a value.") }
            switch name {
            case "--seconds": seconds = try Self.number(value, name)
            case "--seed": seed = try Self.number(value, name)
            case "--report": report = value
            case "--server": server = try Self.one(of: SoakServer.Kind.self, value, name)
            case "--plant": plant = try Self.one(of: Plant.self, value, name)
            default:
                throw TestFailure(
                    "There is no option '\(name)'; there are --seconds, --seed, --server, --report, --plant.")
            }
        }
    }

    private static func number<Number: LosslessStringConvertible>(_ text: String, _ name: String) throws -> Number {
        guard let number = Number(text) else { throw TestFailure("\(name) takes a number, not '\(text)'.") }
        return number
    }

    private static func one<Choice: RawRepresentable & CaseIterable>(
        of: Choice.Type, _ text: String, _ name: String
    ) throws -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw TestFailure("\(name) takes one of \(known), not '\(text)'.")
        }
        return choice
    }
}
