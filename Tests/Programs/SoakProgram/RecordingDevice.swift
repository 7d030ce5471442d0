import AudioRendering
import Foundation
import Platform
import TestSupport

/// A device, from plug to unplug: what arrives there is kept, and when things happened is noted in its frames.
final class RecordingDevice: Sendable {
    let name: String
    let kind: HardwareKind
    let sampleRate: Int
    let device: StandIn
    /// Whether music may have come here through a resampler.
    let mayBeResampled: Bool
    /// Whether the server leaves periods out, and does not count them.
    let mayGap: Bool
    /// Where in its file the first frame is.
    let header: Int
    private let notes = Locked(Notes())

    struct Notes {
        var spans: [Span] = []
        /// Where the server counted a cycle that was not done in time.
        var xruns: [Int] = []
        /// When it was looked at last.
        var look = 0
    }

    init(_ name: String, _ kind: HardwareKind, on server: SoakServer) throws {
        self.name = name
        self.kind = kind
        sampleRate = server.sampleRate
        mayGap = server.kind == .pipewire
        mayBeResampled = server.hadOtherRate || server.changesRate
        device = try StandIn(
            name, kind: kind, on: server.environment, captures: true)
        header = try Self.header(of: device.capturePath)
    }

    /// Frames that were kept so far: at least all but what is on its way to the disk.
    var frames: Int {
        var facts = stat()
        guard stat(device.capturePath, &facts) == 0 else { return 0 }
        return max(0, (Int(facts.st_size) - header) / 8)
    }

    private static func header(of path: String) throws -> Int {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        guard let marker = try file.read(upToCount: 256)?.range(of: Data("data".utf8)) else {
            throw TestFailure("What a device keeps is no sound file.")
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

    /// Notes what is over already.
    func add(_ span: Span) { notes.withLock { $0.spans.append(span) } }

    func look() {
        let frames = frames
        notes.withLock { $0.look = frames }
    }

    /// Notes what was between the last look and now.
    func noteSinceLook(_ span: Span) {
        var span = span
        span.end = frames
        notes.withLock { notes in
            span.begin = notes.look
            notes.spans.append(span)
        }
    }

    func noteXrun() {
        let frames = frames
        notes.withLock { $0.xruns.append(frames) }
    }

    var noted: Notes { notes.withLock { $0 } }
}

/// What happened from one frame to another of what a device kept.
struct Span {
    enum Nature {
        /// What is heard may fade, and go on elsewhere in its signal behind silence.
        case fades
        /// It may go on elsewhere within a cross-fade, too.
        case moves
        /// It may fade out, and goes on, fading in, at the very next frame.
        case pauses
        /// The graph changes, and nothing that is heard.
        case graph
        /// What was silent may begin, at full level, in the midst of its signal.
        case starts
        /// It may be cut hard: somebody else's doing, between the engine and this device.
        case cut
        /// Nothing may begin on this channel, which is silent.
        case silent(channel: Int)
        /// This channel goes on, frame by frame, without a fade.
        case untouched(channel: Int)
    }
    var event: Int
    var nature: Nature
    var begin = 0
    var end = Int.max
}
