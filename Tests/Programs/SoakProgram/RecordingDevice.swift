import AudioRendering
import Foundation
import Platform
import TestSupport

/// A device from plug to unplug: records what it receives, and logs events by their frames in the
/// recording.
final class RecordingDevice: Sendable {
    let name: String
    let kind: PortType
    let sampleRate: Int
    let device: VirtualDevice
    /// Whether its signal may have passed a resampler.
    let mayBeResampled: Bool
    /// Whether the server omits periods without counting an xrun.
    let mayGap: Bool
    /// The offset of the first frame in the file.
    let header: Int
    private let notes = Mutex(Notes())

    struct Notes {
        var spans: [Span] = []
        /// The frames at which the server counted an xrun.
        var xruns: [Int] = []
        /// The frame at the last check for underruns.
        var lastCheck = 0
    }

    init(_ name: String, _ kind: PortType, on server: SoakServer) throws {
        self.name = name
        self.kind = kind
        sampleRate = server.sampleRate
        mayGap = server.kind == .pipewire
        mayBeResampled = server.hadOtherRate || server.changesRate
        device = try VirtualDevice(
            name, kind: kind, on: server.environment, captures: true)
        header = try Self.header(of: device.capturePath)
    }

    /// The number of frames recorded so far, without those that are still on their way to the disk.
    var frames: Int {
        var facts = stat()
        guard stat(device.capturePath, &facts) == 0 else { return 0 }
        return max(0, (Int(facts.st_size) - header) / 8)
    }

    private static func header(of path: String) throws -> Int {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        guard let marker = try file.read(upToCount: 256)?.range(of: Data("data".utf8)) else {
            throw TestFailure("The recording of a device is not a sound file.")
        }
        return marker.upperBound + 4
    }

    func begin(_ span: Span) {
        var span = span
        span.begin = frames
        span.end = .max
        notes.withLock { $0.spans.append(span) }
    }

    func end(event: Int) {
        let frames = frames
        notes.withLock { notes in
            for index in notes.spans.indices where notes.spans[index].event == event && notes.spans[index].end == .max {
                notes.spans[index].end = frames
            }
        }
    }

    /// Records an event that has already ended.
    func add(_ span: Span) { notes.withLock { $0.spans.append(span) } }

    /// Records the current frame as that of the last check.
    func markCheck() {
        let frames = frames
        notes.withLock { $0.lastCheck = frames }
    }

    /// Records an event that took place between the last check and now.
    func addSinceLastCheck(_ span: Span) {
        var span = span
        span.end = frames
        notes.withLock { notes in
            span.begin = notes.lastCheck
            notes.spans.append(span)
        }
    }

    func noteXrun() {
        let frames = frames
        notes.withLock { $0.xruns.append(frames) }
    }

    var noted: Notes { notes.withLock { $0 } }
}

/// An event, and the range of frames of a recording that it covers.
struct Span {
    enum Nature {
        /// The sound may fade, and continue at another frame of its signal after a silence.
        case fades
        /// The sound may also continue at another frame within a crossfade.
        case moves
        /// The sound may fade out, and continues, fading in, at the very next frame.
        case pauses
        /// The graph changes without an effect on the sound.
        case graph
        /// A silent signal may begin, at full level, at any frame.
        case starts
        /// The sound may be cut hard, by another client between the engine and this device.
        case cut
        /// This channel is silent, and must stay silent.
        case silent(channel: Int)
        /// This channel continues, frame by frame, without a fade.
        case untouched(channel: Int)
    }
    var event: Int
    var nature: Nature
    var begin = 0
    var end = Int.max
}
