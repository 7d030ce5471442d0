/// The source of a voice.
public enum VoiceSource: Sendable {
    /// Samples in memory, from `startFrame` on.
    case buffer(AudioBuffer, startFrame: Int = 0, loop: Loop = .none)
    /// A streamed file; a stream serves one voice.
    case stream(AudioStream)
    /// An input, played in the same cycle; silence without the session's permission.
    case input(EngineInput)
    /// A function of the app, called on the render thread.
    case render(RenderSource)

    /// The source's channel count.
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
    /// The sample rate at which the source has its original pitch, in Hz. nil: the source plays one
    /// frame per engine frame at any rate of the server.
    public var sampleRate: Int? {
        switch self {
        case .buffer(let buffer, _, _): buffer.sampleRate
        case .stream(let stream): stream.sampleRate
        case .input, .render: nil
        }
    }
}

/// The part of samples in memory that repeats, and how often.
public struct Loop: Equatable, Sendable {
    /// The number of repetitions; 0 plays once, `Int.max` repeats forever.
    public var count: Int
    /// The frames to repeat; nil: all. The frames that follow them are played after the last
    /// repetition.
    public var frames: Range<Int>?
    /// The number of frames at the end of the loop that crossfade with those before its beginning,
    /// so that the loop does not click; at most as many as lie before the beginning, and at most
    /// the loop's length. 0 joins the ends without a crossfade.
    public var fadeFrames: Int

    public init(count: Int, frames: Range<Int>? = nil, fadeFrames: Int = 0) {
        self.count = count
        self.frames = frames
        self.fadeFrames = fadeFrames
    }

    /// Plays once.
    public static let none = Loop(count: 0)
    /// Repeats all frames forever.
    public static let forever = Loop(count: .max)
}

/// The priority of a voice for voice stealing, when more voices start than may play at once: 0
/// (stolen first) … 15.
public struct VoicePriority: RawRepresentable, Comparable, Sendable {
    /// 0…15.
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// For sounds that may be stolen first.
    public static let low = VoicePriority(rawValue: 2)
    /// The default.
    public static let normal = VoicePriority(rawValue: 6)
    /// For music and speech, which a listener would miss.
    public static let high = VoicePriority(rawValue: 12)

    public static func < (a: VoicePriority, b: VoicePriority) -> Bool { a.rawValue < b.rawValue }
}

/// Why a voice ended.
public enum VoiceEnd: Equatable, Sendable {
    /// It played to its end.
    case finished
    /// It was stopped, or its engine was closed.
    case stopped
    /// Another voice stole it.
    case stolen
    /// It did not start, because voices of higher priority used the whole polyphony.
    case refused
}
