public import AudioRendering

/// A completed recording of an `AudioRecorder`, and the values that describe recordings.
public struct AudioRecording: Equatable, Sendable {
    /// Its files, in order; none if nothing was recorded. There is more than one if the sample rate
    /// or the input changed.
    public var files: [File]
    /// The gaps in them.
    public var gaps: [Gap]
    /// Why it ended.
    public var ending: Ending

    /// What a recorder records.
    public struct Configuration: Equatable, Sendable {
        /// What happens when the session's input becomes another one (ROUTE-4).
        public enum InputChange: Equatable, Sendable {
            /// The recording ends, and its files are complete.
            case stop
            /// The recording continues in another file.
            case nextFile
        }

        /// The number of channels to record, from 1 to the engine's `maximumChannels`.
        public var channels: Int
        /// The first channel of the session's input to record, from 0.
        public var firstChannel: Int
        /// The recording ends when its files have about this size in bytes. They never exceed it,
        /// and remain at most 4 KiB below it; flac and opus, whose encoders hold frames back, at
        /// most 64 KiB and 12,288 uncompressed frames. nil: no limit.
        public var maximumBytes: Int?
        /// What happens when the session's input becomes another one; nil: `nextFile` if the user's
        /// setting `record-through-input-change` is on, `stop` otherwise.
        public var inputChange: InputChange?
        /// The time before the triggering sound that `record(fromLevel:)` records, in seconds,
        /// 0…60.
        public var preRoll: Double

        public init(
            channels: Int = 1, firstChannel: Int = 0, maximumBytes: Int? = nil, inputChange: InputChange? = nil,
            preRoll: Double = 0.5
        ) {
            self.channels = channels
            self.firstChannel = firstChannel
            self.maximumBytes = maximumBytes
            self.inputChange = inputChange
            self.preRoll = preRoll
        }
    }

    /// A file of a recording.
    public struct File: Equatable, Sendable {
        /// The path of the file.
        public var path: AudioFilePath
        /// Its sample rate, in Hz.
        public var sampleRate: Int
        /// Its channel count.
        public var channels: Int
        /// The number of frames in it.
        public var frames: Int
    }

    /// Frames that could not be recorded. Silence takes their place in the file.
    public struct Gap: Equatable, Sendable {
        /// Why frames are missing.
        public enum Cause: Equatable, Sendable {
            /// The disk was too slow for longer than the recorder can buffer, about 8 s.
            case disk
            /// The audio server was lost and has returned within `longestServerGap` (SRV-1, SRV-2),
            /// or its input returned later. The number of frames follows from the time between.
            case server
            /// The server did not call the app's cycle in time, or was late itself (an xrun). The
            /// number is exact if the server counted the cycles that it skipped. Otherwise it
            /// follows from the time between the cycles, within about 0.2 ms.
            case xrun
        }

        /// A server that is lost for more than this many seconds, or an xrun of that length, leaves
        /// no gap: the recording then continues in another file.
        public static let longestServerGap = 60.0

        /// The file in which they are missing.
        public var path: AudioFilePath
        /// The first missing frame of that file.
        public var firstFrame: Int
        /// The number of missing frames.
        public var frames: Int
        public var cause: Cause
    }

    /// Why a recording ended.
    public enum Ending: Equatable, Sendable {
        /// `stop()` was called, or the recorder was released.
        case stopped
        /// The session was deactivated (ACT-7).
        case deactivated
        /// The duration or size that was asked for has been reached.
        case limit
        /// The session's input became another one (ROUTE-4).
        case inputChanged
        /// The audio server was lost for good.
        case serverGone
        /// The file could not be written. What was written is complete and can be opened.
        case failed(AudioFileError)
    }

    /// The level of a channel of the input: linear, full scale is 1.
    public struct Level: Equatable, Sendable {
        /// The greatest magnitude in the last tenth of a second.
        public var peak: Float = 0
        /// The root mean square of the last tenth of a second; a sine at full scale has 0.707.
        public var rms: Float = 0
        /// The greatest peak since the recording was prepared.
        public var greatestPeak: Float = 0
        /// Samples of magnitude 1 or more since the recording was prepared.
        public var clippedSamples = 0

        public init() {}
    }

    /// An event of a recorder.
    public enum Event: Equatable, Sendable {
        /// A file has its first frame.
        case started(path: AudioFilePath)
        /// The session was interrupted, or its input was stopped; recording is paused (INT-9,
        /// INT-10). Calls of `pause()` are not reported.
        case pausedBySession
        /// Recording has resumed after an interruption, as `resumePolicy` allows.
        case resumed
        /// Frames are missing.
        case gap(Gap)
        /// The recording is complete.
        case ended(AudioRecording)
    }
}
