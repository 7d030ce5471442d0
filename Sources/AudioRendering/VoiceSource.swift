/// What a voice plays.
public enum VoiceSource: Sendable {
    /// Samples in memory, from `startFrame` on.
    case buffer(AudioBuffer, startFrame: Int = 0, loop: Loop = .none)
    /// A file on its way; a stream serves one voice.
    case stream(FileStream)
    /// What comes in, heard in the same cycle; silence where the session's permission is missing.
    case input(EngineInput)
    /// A function of the app's, called on the render thread.
    case render(RenderSource)

    /// Channels of the source.
    public var channels: Int {
        switch self {
        case .buffer(let buffer, _, _): buffer.channels
        case .stream(let stream): stream.channels
        case .input(let input): input.channels
        case .render(let source): source.channels
        }
    }
}

extension VoiceSource {
    /// Frames a second that it was made for, at which its pitch is right; nil: it plays a frame a frame, whatever the server's rate.
    public var sampleRate: Int? {
        switch self {
        case .buffer(let buffer, _, _): buffer.sampleRate
        case .stream(let stream): stream.sampleRate
        case .input, .render: nil
        }
    }
}

/// How often, and from where to where, samples in memory are played again.
public struct Loop: Equatable, Sendable {
    /// How often to go back; 0 plays once, `Int.max` for ever.
    public var count: Int
    /// The frames to repeat; nil: all. What follows them is played after the last time.
    public var frames: Range<Int>?
    /// The last so many frames of the loop cross-fade into those before its beginning, so that no loop clicks; at most what lies
    /// before the beginning, and the loop's length. 0 joins the ends as they are.
    public var fadeFrames: Int

    public init(count: Int, frames: Range<Int>? = nil, fadeFrames: Int = 0) {
        self.count = count
        self.frames = frames
        self.fadeFrames = fadeFrames
    }

    /// Plays once.
    public static let none = Loop(count: 0)
    /// Plays all of it for ever.
    public static let forever = Loop(count: .max)
}

/// A place between left and right.
public struct Pan: Equatable, Sendable {
    /// How a place becomes two gains.
    public enum Law: Equatable, Sendable {
        /// Quarter sine and cosine: −3 dB each in the middle.
        case equalPower
        /// Straight lines: −6 dB each in the middle.
        case linear
    }

    /// −1 left … 1 right.
    public var position: Float
    public var law: Law

    public init(_ position: Float, law: Law = .equalPower) {
        self.position = position
        self.law = law
    }
}

/// Who keeps a place when more voices start than may play at once: 0 (first to go) … 15.
public struct VoicePriority: RawRepresentable, Comparable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let low = VoicePriority(rawValue: 2)
    public static let normal = VoicePriority(rawValue: 6)
    /// Music and speech, which a listener would miss.
    public static let high = VoicePriority(rawValue: 12)

    public static func < (a: VoicePriority, b: VoicePriority) -> Bool { a.rawValue < b.rawValue }
}

/// Why a voice is over.
public enum VoiceEnd: Equatable, Sendable {
    /// It was played to its end.
    case finished
    /// It was told to stop, or its engine was closed.
    case stopped
    /// Another one needed its place.
    case stolen
    /// At its start all places were held by higher priorities.
    case refused
}
