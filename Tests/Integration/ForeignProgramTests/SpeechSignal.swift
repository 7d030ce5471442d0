import AudioRendering
import Platform
import TestSupport

/// Announcements: two seconds of silence, and one of a constant on the right channel. It is
/// negative, also together with that of a position signal; the left one, which states a gain, is
/// silent.
enum SpeechSignal {
    static let silence = 96_000
    static let speech = 48_000
    private static let amplitude: Float = -0.6

    static func write(to path: String, times: Int) throws {
        let writer = try AudioFileWriter(path: path, channels: 2, sampleRate: 48_000)
        let silent = [Float](repeating: 0, count: 2 * silence)
        let loud: [Float] = (0..<2 * speech).map { $0 % 2 == 0 ? 0 : amplitude }
        for _ in 0..<times {
            try writer.write(silent, frameCount: silence)
            try writer.write(loud, frameCount: speech)
        }
        writer.close()
    }
}

extension [PositionRecording.Frame] {
    /// Whether announcements sound, in a recording of them and of a position signal.
    private static func speaks(_ frame: Element) -> Bool { frame.gain > 0 && frame.position < 0 }

    /// The first frames of the announcements, and those after them. One that has begun before the
    /// recording, or has not ended, is left out. Cycles that PipeWire skips do not divide one.
    var announcements: [Range<Int>] {
        let parts = announcementParts
        return parts.reduce(into: []) { found, part in
            if let last = found.last, part.lowerBound - last.upperBound < SpeechSignal.silence / 2 {
                found[found.count - 1] = last.lowerBound..<part.upperBound
            } else {
                found.append(part)
            }
        }
    }

    private var announcementParts: [Range<Int>] {
        var (found, begin): ([Range<Int>], Int?) = ([], nil)
        for (index, (before, now)) in zip(indices.dropFirst(), zip(self, dropFirst())) {
            switch (Self.speaks(before), Self.speaks(now)) {
            case (false, true): begin = index
            case (true, false):
                if let begin { found.append(begin..<index) }
                begin = nil
            default: break
            }
        }
        return found
    }
}
