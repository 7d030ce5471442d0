import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionProgramSupport

/// Plays files one after the other in one session, without gaps.
final class Playlist {
    /// How a file ended.
    enum Ended: Equatable {
        case finished(file: String)
        case damaged(file: String, AudioFileError)
        /// It could not be opened when its turn came.
        case failed(String)
    }

    /// What the screen and the events say about a file.
    struct Track {
        /// The name of the file, without its folder.
        var title: String
        var format: String
        var sampleRate: Int
        /// Seconds; infinite if the file does not declare it.
        var duration: Double

        init(_ path: AudioFilePath) throws {
            let file = try AudioFile(path: path)
            title = path.lastComponent.description
            format = file.formatDescription
            sampleRate = file.sampleRate
            duration = file.frameCount == 0 ? .infinity : file.duration
        }
    }

    let session: AudioSession
    let queue: AudioQueuePlayer
    /// By item.
    private let tracks: [Int: Track]
    private let events = Mutex<[AudioQueue.Event]>([])
    var volume: Float { didSet { queue.volume = volume } }

    /// Opens every file, so that a bad one is reported before playback starts. Plays on the
    /// `outputs`; nil: on all outputs of the route. With a `normalization`, measures every file and
    /// plays it with its gain. Posts `wakeUp` when a file ends.
    init(
        files: [AudioFilePath], session: AudioSession, outputs: [AudioSessionPortDescription]?, volume: Float,
        normalization: LoudnessNormalization?, loops: Int, start: Double, wakeUp: WakeUp
    ) throws {
        let queue = try AudioQueuePlayer(session: session, outputs: outputs)
        var tracks: [Int: Track] = [:]
        for file in files {
            let track = try Track(file)
            let gain = try normalization?.gain(for: .file(file)) ?? 1
            tracks[queue.append(.file(file), gain: gain, repetitions: loops).id] = track
        }
        guard let first = queue.items.first, let track = tracks[first.id] else {
            throw ProgramFailure(.usage, "Name at least one file to play.")
        }
        guard start < track.duration || start == 0 else {
            throw ProgramFailure(
                .usage,
                """
                --start \(start) is beyond the end of '\(files[0])' (\(Text.clock(track.duration))); give an earlier \
                time.
                """)
        }
        self.session = session
        self.queue = queue
        self.tracks = tracks
        self.volume = volume
        queue.volume = volume
        queue.currentTime = start
        let events = events
        queue.onEvent { event in
            events.withLock { $0.append(event) }
            wakeUp.post()
        }
    }

    func play() throws { try queue.play() }

    /// The current file; the first one after the end.
    var track: Track? { queue.currentItem.flatMap { tracks[$0.id] } }

    /// Whether nothing is left to play.
    private(set) var isOver = false

    /// Returns the files that have ended since the last call. Throws if playback was refused.
    func step() throws -> [Ended] {
        let events = events.withLock { events in
            defer { events = [] }
            return events
        }
        var ended: [Ended] = []
        for event in events {
            switch event {
            case .itemEnded(let item, let ending):
                let file = tracks[item.id]?.title ?? item.source.name
                switch ending {
                case .finished: ended.append(.finished(file: file))
                case .damaged(let error): ended.append(.damaged(file: file, error))
                case .failed(let reason): ended.append(.failed(reason))
                case .skipped: break
                }
            case .ended(.refused(let error)): throw error
            case .ended: isOver = true
            case .itemStarted, .itemRepeated, .pausedBySession, .resumed: break
            }
        }
        return ended
    }
}
