internal import AudioSessionTypes

/// The object paths by which the bus distinguishes tracks.
enum TrackPath {
    /// Returns the path of the track that the info describes. It depends on the session and the
    /// track's identifier alone; without one, on its title, artist, album and duration.
    static func path(of info: NowPlayingInfo, session: UInt64) -> String {
        var hash = Hash()
        if let identifier = info.trackIdentifier {
            hash.add(identifier)
        } else {
            for text in [info.title, info.artist, info.album] { hash.add(text) }
            hash.add(info.duration.map { String($0.bitPattern) })
        }
        let digits = String(hash.value, radix: 16)
        let zeros = String(repeating: "0", count: 16 - digits.count)
        return "/org/audiosession/session/\(session)/track/\(zeros)\(digits)"
    }

    /// FNV-1a: unlike Swift's own hash, the same in every process, so that a client recognizes the
    /// track after a restart.
    private struct Hash {
        var value: UInt64 = 0xcbf2_9ce4_8422_2325

        /// Adds a text, its end, and whether it exists.
        mutating func add(_ text: String?) {
            for byte in text?.utf8.map({ $0 }) ?? [0xfe] { add(byte) }
            // No byte of UTF-8 has this value.
            add(0xff)
        }

        private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}
