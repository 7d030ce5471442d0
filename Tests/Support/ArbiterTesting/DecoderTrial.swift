import Foundation
import SessionArbiter
import TestRandom

/// Spoiled packets through both decoders: whatever comes is a message or an error, and a message is the same when it is written and read again.
package struct DecoderTrial: Sendable {
    package let seed: UInt64
    /// Told before each packet is tried: of the one that ends it all, this is what is known.
    private let note: @Sendable (_ number: UInt64, _ packet: [UInt8]) -> Void
    private let fault: Fault?
    private let corpus: [[UInt8]]

    /// A mistake in the decoder, for the trial's own trial.
    package enum Fault: String, Sendable, CaseIterable { case trap, hang }

    package init(
        seed: UInt64, fault: Fault? = nil, note: @escaping @Sendable (UInt64, [UInt8]) -> Void = { _, _ in }
    ) throws {
        self.seed = seed
        self.fault = fault
        self.note = note
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        corpus = try MessageCorpus.packets(restoring: MessageCorpus.record) + ServiceSayings.packets(encoder)
    }

    /// Tries the packets of these numbers; returns how many were messages. Throws what it found.
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
            if let fault { Self.stumble(fault, over: packet) }
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
            "Seed \(seed), packet \(number): a \(what) is another when read again: \(String(decoding: packet, as: UTF8.self))"
        )
    }

    /// Of the sort that a decoder could have: an index beyond the end, a loop that does not end.
    private static func stumble(_ fault: Fault, over packet: [UInt8]) {
        guard packet.contains(0xFF), let place = packet.firstIndex(of: UInt8(ascii: ",")) else { return }
        switch fault {
        case .trap: precondition(packet[place] == 0, "planted")
        case .hang: while packet[place] != 0 { sched_yield() }
        }
    }
}
