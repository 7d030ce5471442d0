import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionProgramSupport

/// Plays files one after the other in one session.
final class Playlist {
    /// How a file ended.
    enum Ended: Equatable {
        case finished(file: String)
        case damaged(file: String, AudioFileError)
    }

    let session: AudioSession
    private let files: [AudioFilePath]
    private let loops: Int
    /// The outputs to play on; nil: all outputs of the route.
    private let outputs: [AudioSessionPortDescription]?
    private var index = 0
    private(set) var player: AudioPlayer
    private let endings = Mutex<[AudioPlayer.Ending]>([])
    private let wakeUp: WakeUp
    var volume: Float { didSet { player.volume = volume } }

    /// Opens the first file, and checks every other file, so that a bad file is reported before
    /// playback starts. Posts `wakeUp` when a file ends.
    init(
        files: [AudioFilePath], session: AudioSession, outputs: [AudioSessionPortDescription]?, volume: Float,
        loops: Int,
        start: Double, wakeUp: WakeUp
    ) throws {
        guard let first = files.first else { throw ProgramFailure(.usage, "Name at least one file to play.") }
        for file in files.dropFirst() { _ = try AudioFile(path: file) }
        self.session = session
        self.files = files
        self.outputs = outputs
        self.volume = volume
        self.loops = loops
        self.wakeUp = wakeUp
        player = try AudioPlayer(path: first, session: session, outputs: outputs)
        guard start < player.duration || start == 0 else {
            throw ProgramFailure(
                .usage,
                "--start \(start) is beyond the end of '\(first)' (\(Text.clock(player.duration))); give an earlier time."
            )
        }
        prepare(player)
        player.currentTime = start
    }

    func play() throws { try player.play() }

    /// The name of the current file, without its folder.
    var title: String { files[min(index, files.count - 1)].lastComponent.description }

    /// Whether nothing is left to play.
    private(set) var isOver = false

    /// Continues with the next file if the current one has ended. Returns what ended; nil if
    /// nothing has. Throws if playback was refused, or if the next file cannot be played.
    func step() throws -> Ended? {
        guard let ending = endings.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
        let ended: Ended =
            switch ending {
            case .finished: .finished(file: title)
            case .damaged(let error): .damaged(file: title, error)
            case .refused(let error): throw error
            }
        index += 1
        guard index < files.count else {
            isOver = true
            return ended
        }
        player = try AudioPlayer(path: files[index], session: session, outputs: outputs)
        prepare(player)
        try player.play()
        return ended
    }

    private func prepare(_ player: AudioPlayer) {
        player.volume = volume
        player.numberOfLoops = loops
        let (endings, wakeUp) = (endings, wakeUp)
        player.onFinish { _, ending in
            endings.withLock { $0.append(ending) }
            wakeUp.post()
        }
    }
}
