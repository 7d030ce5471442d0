public import AudioRendering
internal import Platform

/// What a player does when an interruption ends (INT-9).
public enum PlaybackResumePolicy: Equatable, Sendable {
    /// Resumes in ambient and soloAmbient; in other categories, if the system recommends it and the
    /// mode is default, moviePlayback or spokenAudio.
    case automatic
    /// Resumes if it was playing, whether or not the system recommends it.
    case always
    /// Stays paused until `play()`.
    case never
}

/// Why playback ended on its own.
public enum PlaybackEnding: Equatable, Sendable {
    /// The whole source was played, including loops.
    case finished
    /// The source is damaged or no longer exists; the readable part was played.
    case damaged(AudioFileError)
    /// The engine could not continue playback.
    case refused(AudioEngineError)

    init(_ error: any Error) {
        switch error {
        case let error as AudioFileError: self = .damaged(error)
        case let error as AudioEngineError: self = .refused(error)
        default: self = .refused(.invalidArgument(what: "\(error)"))
        }
    }
}

extension Broadcaster {
    /// The events from now on, until the broadcaster is released.
    var sequence: AsyncStream<Event> {
        AsyncStream { continuation in
            let end = add({ continuation.yield($0) }, finish: { continuation.finish() })
            continuation.onTermination = { _ in end() }
        }
    }
}
