/// Category, mode and options: the purpose of an app's sound.
extension AudioSession {
    /// The purpose of the app's sound (group CAT).
    public struct Category: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nonessential sound: mixes with others, and the silent switch mutes it.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// Like ambient, but interrupts others. The category of a new session (CAT-1).
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Music, films, spoken word: sound that is central to the app.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Recording; mutes mixable sessions (CAT-4).
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Playback and recording at the same time: calls, games with voice chat, instruments.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        /// Plays to every connected output at the same time (group MULTI).
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
        /// Offline rendering only: no live input or output (CAT-5).
        public static let audioProcessing = Category(rawValue: "AVAudioSessionCategoryAudioProcessing")
    }

    /// A specific use of a category (group MODE).
    public struct Mode: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Valid with every category.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// Two-way voice; requires playAndRecord.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// Two-way voice alongside a game; requires playAndRecord.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        /// Video recording; requires playAndRecord or record.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// No processing by the library, not even ducking; requires playAndRecord, record or
        /// playback.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        /// Film playback; requires playback.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// Two-way voice and video; requires playAndRecord.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// Continuous speech: prompts of other sessions interrupt it instead of ducking it
        /// (DUCK-4). Requires playback, soloAmbient, playAndRecord or multiRoute.
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// Short speech over other audio, such as navigation prompts; requires playback or
        /// playAndRecord.
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
        /// Clips that begin muted; requires playback.
        public static let shortFormVideo = Mode(rawValue: "AVAudioSessionModeShortFormVideo")
        /// The built-in speaker and microphone and one two-way device; requires multiRoute and
        /// allowBluetoothHFP.
        public static let dualRoute = Mode(rawValue: "AVAudioSessionModeDualRoute")
    }

    /// Options for `setActive`.
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Notifies the sessions that this one interrupted that they may resume (ACT-8).
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }
}
