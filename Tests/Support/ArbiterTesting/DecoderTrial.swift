import Foundation
import SessionArbiter
import TestRandom

/// Feeds malformed packets to both decoders. Every packet must decode to a message or fail with an
/// error, and a decoded message must survive encoding and decoding again unchanged.
package struct DecoderTrial: Sendable {
    package let seed: UInt64
    /// Called before each packet is decoded, so that a packet that crashes the process is known.
    private let note: @Sendable (_ number: UInt64, _ packet: [UInt8]) -> Void
    private let fault: Fault?
    private let corpus: [[UInt8]]

    /// A decoder bug that the trial can inject, to test the trial itself.
    package enum Fault: String, Sendable, CaseIterable { case trap, hang }

    package init(
        seed: UInt64, fault: Fault? = nil, note: @escaping @Sendable (UInt64, [UInt8]) -> Void = { _, _ in }
    ) throws {
        self.seed = seed
        self.fault = fault
        self.note = note
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        corpus = try MessageCorpus.packets(restoring: MessageCorpus.record) + ArbiterMessageCorpus.packets(encoder)
    }

    /// Decodes the packets with these numbers and returns how many of them were messages. Throws
    /// what it found.
    @discardableResult
    package func run(_ numbers: Range<UInt64>, every step: UInt64 = 1) throws -> Int {
        let mutation = Mutation(corpus)
        let decoder = JSONDecoder()
        let encoder = JSONEncoder()
        var messages = 0
        for number in stride(from: numbers.lowerBound, to: numbers.upperBound, by: Int(step)) {
            var random = SeededGenerator(seed: seed, step: number)
            let packet = mutation.packet(&random)
            note(number, packet)
            if let fault { Self.failAsInjected(fault, on: packet) }
            let data = Data(packet)
            if let message = try? decoder.decode(ClientMessage.self, from: data) {
                messages += 1
                let again = try? decoder.decode(ClientMessage.self, from: encoder.encode(message))
                guard again == message else { throw finding(number, packet, "client's message") }
            }
            if let message = try? decoder.decode(ArbiterMessage.self, from: data) {
                messages += 1
                let again = try? decoder.decode(ArbiterMessage.self, from: encoder.encode(message))
                guard again == message else { throw finding(number, packet, "arbiter's message") }
            }
        }
        return messages
    }

    private func finding(_ number: UInt64, _ packet: [UInt8], _ what: String) -> TrialError {
        TrialError(
            "Seed \(seed), packet \(number): a \(what) changes when it is encoded and decoded again: \(String(decoding: packet, as: UTF8.self))"
        )
    }

    /// Fails as a faulty decoder could: an index out of bounds, or an endless loop.
    private static func failAsInjected(_ fault: Fault, on packet: [UInt8]) {
        guard packet.contains(0xFF), let comma = packet.firstIndex(of: UInt8(ascii: ",")) else { return }
        switch fault {
        case .trap: precondition(packet[comma] == 0, "injected")
        case .hang: while packet[comma] != 0 { sched_yield() }
        }
    }
}
