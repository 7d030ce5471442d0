import Foundation

/// Receives what a program prints, line by line.
public final class LineSink {
    /// The descriptor that the program writes to.
    public private(set) var writing: Int32
    private let reading: Int32

    public init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw TestFailure("Cannot create a socket pair.")
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        closeWriting()
    }

    private func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }

    /// Waits for the next line and returns it; empty at the end.
    public func line(seconds: Double = 20) throws -> String { try nextLine(seconds) ?? "" }

    /// Reads until a line begins with `beginning`. Returns false at the end, or after `seconds`
    /// without any output.
    public func waits(for beginning: String, seconds: Double = 20) -> Bool {
        while let line = try? nextLine(seconds) {
            if line.hasPrefix(beginning) { return true }
        }
        return false
    }

    /// Returns the remaining output, after the program's end.
    public func text() throws -> String {
        closeWriting()
        var text: [UInt8] = []
        while let byte = try byte(20) { text.append(byte) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the next line, or nil at the end.
    private func nextLine(_ seconds: Double) throws -> String? {
        closeWriting()
        var line: [UInt8] = []
        while let byte = try byte(seconds) {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }

    /// Returns the next byte, or nil at the end.
    private func byte(_ seconds: Double) throws -> UInt8? {
        var watched = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        while true {
            let isReady = poll(&watched, 1, Int32(seconds * 1_000))
            if isReady == -1, errno == EINTR { continue }
            guard isReady > 0 else { throw TestFailure("No output within \(seconds) s.") }
            var byte: UInt8 = 0
            return read(reading, &byte, 1) == 1 ? byte : nil
        }
    }
}
