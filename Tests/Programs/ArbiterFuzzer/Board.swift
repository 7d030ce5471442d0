import ArbiterTesting
import Glibc

/// What each thread of the worker tries, in memory that outlives it.
///
/// Unchecked `Sendable`: each thread writes a part of its own, and the watch only reads.
final class Board: @unchecked Sendable {
    /// A thread's part: number of the packet, its length, its bytes.
    private static let partSize = 8_192
    static let parts = 3
    private let memory: UnsafeMutableRawPointer

    init(path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard file >= 0, ftruncate(file, off_t(Self.partSize * Self.parts)) == 0,
            let memory = mmap(nil, Self.partSize * Self.parts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            memory != MAP_FAILED
        else { throw TrialError("The board '\(path)' cannot be made.") }
        self.memory = memory
    }

    func note(_ part: Int, _ number: UInt64, _ packet: [UInt8]) {
        let place = memory + part * Self.partSize
        let count = min(packet.count, Self.partSize - 16)
        place.storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
        packet.withUnsafeBytes {
            (place + 16).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(place), byteCount: count)
        }
        place.storeBytes(of: number + 1, as: UInt64.self)
    }

    /// Nil: nothing was tried there.
    func read(_ part: Int) -> (number: UInt64, packet: [UInt8])? {
        let place = memory + part * Self.partSize
        let number = place.load(as: UInt64.self)
        guard number > 0 else { return nil }
        let count = min(Int(place.load(fromByteOffset: 8, as: UInt64.self)), Self.partSize - 16)
        return (number - 1, Array(UnsafeRawBufferPointer(start: place + 16, count: count)))
    }
}
