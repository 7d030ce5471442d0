import CProbe
import Testing

@Suite struct CaptureTests {
    private let probe = probe_make(0, 2)
    private let capture: OpaquePointer?

    init() { capture = probe_plug_capture(probe, 1_024) }

    /// Runs a cycle of 64 frames whose samples are their numbers, and the negative ones.
    private func run(_ frame: UInt32) {
        let left = (0..<64).map { Float(frame % 65_536) + Float($0) }
        let right = left.map { -$0 }
        left.withUnsafeBufferPointer { left in
            right.withUnsafeBufferPointer { right in
                probe_run(probe, frame, 0, 64, [left.baseAddress, right.baseAddress], [])
            }
        }
    }

    private func copy(_ first: UInt64, _ count: Int) -> (left: [Float], right: [Float], found: UInt32) {
        var (left, right) = (Array(repeating: Float(0), count: count), Array(repeating: Float(0), count: count))
        let found = probe_copy_captured(capture, first, UInt32(count), &left, &right)
        return (left, right, found)
    }

    @Test func `frames keep the server's numbers`() {
        defer { probe_close(probe) }
        #expect(probe_captured(capture) == 0)
        run(640)
        run(704)
        let end = probe_captured(capture)
        #expect(UInt32(truncatingIfNeeded: end) == 768)
        let (left, right, found) = copy(end - 128, 130)
        #expect(left[..<128].elementsEqual((640..<768).map(Float.init)))
        #expect(right[..<128].elementsEqual((640..<768).map { -Float($0) }))
        #expect(found == 128 && left[128].isNaN)
    }

    @Test func `a cycle that was missed is not a number`() {
        defer { probe_close(probe) }
        run(640)
        run(768)
        let (left, _, found) = copy(probe_captured(capture) - 192, 192)
        #expect(found == 128)
        #expect(left[63] == 703 && left[64].isNaN && left[127].isNaN && left[128] == 768)
        #expect(probe_capture_jumps(capture) == 0)
    }

    @Test func `numbers go on when those of the server wrap`() {
        defer { probe_close(probe) }
        run(UInt32.max - 63)
        let before = probe_captured(capture)
        run(0)
        #expect(probe_captured(capture) == before + 64)
        #expect(copy(before - 1, 2).found == 2)
    }

    @Test func `a jump is reported, and old frames are dropped`() {
        defer { probe_close(probe) }
        run(64_000)
        let before = probe_captured(capture)
        run(640)
        #expect(probe_capture_jumps(capture) == 1)
        #expect(copy(before - 64, 64).found == 0)
    }
}
