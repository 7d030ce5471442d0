import Foundation
import TestRandom
import TestSupport

/// The options of the command line.
struct SoakOptions {
    /// The fault to inject, to verify that it is detected.
    enum InjectedFault: String, CaseIterable { case click, jump, leak }
    /// An access beyond the end of a file in memory: of PipeWire, or of anything else.
    enum BusError: String, CaseIterable { case pipewire, other }

    var seconds = 600.0
    var seed = TestSeed.current
    var server = SoakServer.Kind.jackd
    /// The folder for glitches and the table. Created if it does not exist.
    var report = "soak-report"
    var inject: InjectedFault?
    /// The bus error to inject, to verify that those of PipeWire are recognized, and only those.
    var busError: BusError?

    init(_ arguments: [String]) throws {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw TestFailure("\(name) requires a value.") }
            switch name {
            case "--seconds": seconds = try Self.number(value, name)
            case "--seed": seed = try Self.number(value, name)
            case "--report": report = value
            case "--server": server = try Self.one(of: SoakServer.Kind.self, value, name)
            case "--inject": inject = try Self.one(of: InjectedFault.self, value, name)
            case "--bus-error": busError = try Self.one(of: BusError.self, value, name)
            default:
                throw TestFailure(
                    "Unknown option '\(name)'. Options: --seconds, --seed, --server, --report, --inject, --bus-error.")
            }
        }
    }

    private static func number<Number: LosslessStringConvertible>(_ text: String, _ name: String) throws -> Number {
        guard let number = Number(text) else { throw TestFailure("\(name) requires a number, not '\(text)'.") }
        return number
    }

    private static func one<Choice: RawRepresentable & CaseIterable>(
        of: Choice.Type, _ text: String, _ name: String
    ) throws -> Choice where Choice.RawValue == String {
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw TestFailure("\(name) requires one of \(known), not '\(text)'.")
        }
        return choice
    }
}
