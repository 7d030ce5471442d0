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

    /// Options that refine a category (group OPT).
    public struct CategoryOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Plays alongside others instead of interrupting them. Requires playback, playAndRecord,
        /// or multiRoute in mode default.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Ducks others while the session is active; implies mixWithOthers. Can be set with the
        /// same categories, and with ambient.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// The older name of allowBluetoothHFP.
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        /// Allows two-way Bluetooth devices (HFP) in the route, as inputs and as outputs. Can be
        /// set with playAndRecord and record, and with multiRoute in mode dualRoute; no other
        /// category uses such devices (OPT-2).
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// Routes to the built-in speaker instead of the receiver, if nothing is connected;
        /// requires playAndRecord (ROUTE-5).
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Interrupts sessions in mode spokenAudio and mixes with all others (DUCK-4). Implies
        /// mixWithOthers, and can be set with the same categories.
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Allows full-quality Bluetooth outputs (A2DP) in the route; can be set with
        /// playAndRecord. Categories without input always allow such outputs (OPT-2).
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// Allows network outputs in the route; can be set with playAndRecord. Categories without
        /// input always allow them (OPT-2).
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        /// Keeps the session running, with zeros as input, when the microphone is muted in hardware
        /// (INT-10). Requires a category with input.
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
        /// Far-field input; requires a category with input, and allowBluetoothHFP.
        public static let farFieldInput = CategoryOptions(rawValue: 1 << 18)
        /// Full-quality recording from a Bluetooth microphone; requires playAndRecord in mode
        /// default.
        public static let bluetoothHighQualityRecording = CategoryOptions(rawValue: 1 << 19)
    }

    /// Whether the route is shared with other long-form audio (ROUTE-10).
    public enum RouteSharingPolicy: UInt, Hashable, Sendable {
        case `default` = 0
        case longFormAudio = 1
        case independent = 2
        case longFormVideo = 3

        /// The older name of longFormAudio.
        public static var longForm: RouteSharingPolicy { .longFormAudio }
    }

    /// Options for `setActive`.
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Notifies the sessions that this one interrupted that they may resume (ACT-8).
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }
}
