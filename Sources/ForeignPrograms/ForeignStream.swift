/// Identifies a stream for as long as the PipeWire server lives.
package struct StreamID: Hashable, Comparable, Sendable {
    package var rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (a: StreamID, b: StreamID) -> Bool { a.rawValue < b.rawValue }
}

/// A stream of a program that does not use this library, as the stream controller reports it.
///
/// What a program says about itself is a claim. Only `process` is verified, by the socket of the
/// program's connection.
package struct ForeignStream: Hashable, Sendable {
    package enum Direction: String, Hashable, Sendable {
        case input, output
    }

    package enum API: String, Hashable, Sendable {
        case native, pulse, jack, alsa
    }

    package var id: StreamID
    package var direction = Direction.output
    package var api = API.native
    /// Whether PipeWire runs the stream: it plays or records, also silence.
    package var isRunning = false
    /// The process, if PipeWire has verified it.
    package var process: Int32?
    package var claimedProcess: Int32?
    /// The file name of the program, as it states it.
    package var binary: String?
    /// The name of the program for people.
    package var application: String?
    /// Its id, such as "org.mozilla.firefox".
    package var applicationID: String?
    /// What the program uses the stream for: the property `media.role`.
    package var role: String?
    /// Whether its gain can be set. Otherwise it can only be held.
    package var canBeLowered = true
    /// Whether it passes encoded audio through, which nothing may change.
    package var isPassthrough = false

    package init(_ id: StreamID) { self.id = id }
}
