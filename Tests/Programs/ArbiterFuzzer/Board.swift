import ArbiterTesting
import Glibc

/// The current packet of each thread of the worker, in memory that outlives the worker.
///
/// Unchecked `Sendable`: each thread writes only its own part, and the parent process only reads.
final class Board: @unchecked Sendable {
    /// The size of a thread's part: the number of the packet, its length, and its bytes.
    private static let partSize = 8_192
    static let parts = 3
    private let memory: UnsafeMutableRawPointer

    init(path: String) throws {
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard file >= 0, ftruncate(file, off_t(Self.partSize * Self.parts)) == 0,
            let memory = mmap(nil, Self.partSize * Self.parts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            memory != MAP_FAILED
        else { throw TrialError("Cannot create the board '\(path)'.") }
        self.memory = memory
    }

    func note(_ part: Int, _ number: UInt64, _ packet: [UInt8]) {
        let slot = memory + part * Self.partSize
        let count = min(packet.count, Self.partSize - 16)
        slot.storeBytes(of: UInt64(count), toByteOffset: 8, as: UInt64.self)
        packet.withUnsafeBytes {
            (slot + 16).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(slot), byteCount: count)
        }
        slot.storeBytes(of: number + 1, as: UInt64.self)
    }

    /// Returns the packet of a part, or nil if the thread has recorded none.
    func read(_ part: Int) -> (number: UInt64, packet: [UInt8])? {
        let slot = memory + part * Self.partSize
        let number = slot.load(as: UInt64.self)
        guard number > 0 else { return nil }
        let count = min(Int(slot.load(fromByteOffset: 8, as: UInt64.self)), Self.partSize - 16)
        return (number - 1, Array(UnsafeRawBufferPointer(start: slot + 16, count: count)))
    }
}
