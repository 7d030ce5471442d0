import Foundation
import PositionSignals
import Testing

@Suite struct PositionSignalTests {
    /// The samples of a file of 24 bits, without its header.
    private static func samples(_ data: Data) -> (left: [Float], right: [Float]) {
        let bytes = [UInt8](data.dropFirst(44))
        let samples = stride(from: 0, to: bytes.count, by: 3).map { index in
            let value = Int32(bytes[index]) << 8 | Int32(bytes[index + 1]) << 16 | Int32(bytes[index + 2]) << 24
            return Float(value >> 8) / 0x1p23
        }
        return (
            stride(from: 0, to: samples.count, by: 2).map { samples[$0] },
            stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
        )
    }

    @Test func `the file states each position at any gain`() throws {
        let path = NSTemporaryDirectory() + "position-\(UUID().uuidString).wav"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try PositionSignal.write(to: path, repetitions: 1)
        let (left, right) = Self.samples(try Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(left.count == PositionSignal.period)
        for gain: Float in [1, 0.199_526, 0.001] {
            let heard = PositionSignal.decode(left: left.map { $0 * gain }, right: right.map { $0 * gain })
            #expect(heard.indices.allSatisfy { heard[$0].position == $0 })
            #expect(heard.allSatisfy { abs(($0.gain ?? 0) - gain) <= gain * 1e-6 })
        }
    }

    @Test func `silence and missed frames have no position`() {
        let heard = PositionSignal.decode(left: [0, 1e-6, .nan, 0.5], right: [0, 0, .nan, 0.25])
        #expect(heard == [.silent, .silent, .missed, .sound(gain: 1, position: PositionSignal.period / 2)])
    }

    @Test func `a distance is the shorter one`() {
        #expect(PositionSignal.distance(from: 10, to: 30) == 20)
        #expect(PositionSignal.distance(from: 30, to: 10) == -20)
        #expect(PositionSignal.distance(from: PositionSignal.period - 5, to: 5) == 10)
        #expect(PositionSignal.distance(from: 5, to: PositionSignal.period - 5) == -10)
    }
}
