/// Category, mode and options: what an app's sound is for.
extension AudioSession {
    /// What the app's sound is for (group CAT).
    public struct Category: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sound that may be missing: mixes with others, silent by the silent switch.
        public static let ambient = Category(rawValue: "AVAudioSessionCategoryAmbient")
        /// As ambient, but others fall silent. The category of a new session (CAT-1).
        public static let soloAmbient = Category(rawValue: "AVAudioSessionCategorySoloAmbient")
        /// Music, films, spoken word: the reason for the app.
        public static let playback = Category(rawValue: "AVAudioSessionCategoryPlayback")
        /// Recording; silences what mixes (CAT-4).
        public static let record = Category(rawValue: "AVAudioSessionCategoryRecord")
        /// Both at once: calls, games with voice, instruments.
        public static let playAndRecord = Category(rawValue: "AVAudioSessionCategoryPlayAndRecord")
        /// Every connected output at once (group MULTI).
        public static let multiRoute = Category(rawValue: "AVAudioSessionCategoryMultiRoute")
        /// Offline rendering only: no live input or output (CAT-5).
        public static let audioProcessing = Category(rawValue: "AVAudioSessionCategoryAudioProcessing")
    }

    /// A shade of the category (group MODE).
    public struct Mode: RawRepresentable, Hashable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Goes with every category.
        public static let `default` = Mode(rawValue: "AVAudioSessionModeDefault")
        /// Two-way voice, with playAndRecord.
        public static let voiceChat = Mode(rawValue: "AVAudioSessionModeVoiceChat")
        /// Two-way voice beside a game, with playAndRecord.
        public static let gameChat = Mode(rawValue: "AVAudioSessionModeGameChat")
        /// Recording a film, with playAndRecord and record.
        public static let videoRecording = Mode(rawValue: "AVAudioSessionModeVideoRecording")
        /// No processing of ours at all, not even ducking; with playAndRecord, record and playback.
        public static let measurement = Mode(rawValue: "AVAudioSessionModeMeasurement")
        /// Watching a film, with playback.
        public static let moviePlayback = Mode(rawValue: "AVAudioSessionModeMoviePlayback")
        /// Two-way voice and picture, with playAndRecord.
        public static let videoChat = Mode(rawValue: "AVAudioSessionModeVideoChat")
        /// Continuous speech: paused rather than ducked by short speech of others (DUCK-4).
        public static let spokenAudio = Mode(rawValue: "AVAudioSessionModeSpokenAudio")
        /// Short speech over other audio: navigation.
        public static let voicePrompt = Mode(rawValue: "AVAudioSessionModeVoicePrompt")
        /// Clips that begin muted, with playback.
        public static let shortFormVideo = Mode(rawValue: "AVAudioSessionModeShortFormVideo")
        /// The built-in pair and one two-way device, with multiRoute.
        public static let dualRoute = Mode(rawValue: "AVAudioSessionModeDualRoute")
    }

    /// Refinements of a category (group OPT).
    public struct CategoryOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Sounds beside others instead of interrupting them.
        public static let mixWithOthers = CategoryOptions(rawValue: 0x1)
        /// Lowers others while active; implies mixWithOthers.
        public static let duckOthers = CategoryOptions(rawValue: 0x2)
        /// The older name of allowBluetoothHFP.
        public static let allowBluetooth = CategoryOptions(rawValue: 0x4)
        /// Two-way Bluetooth devices may be routes.
        public static let allowBluetoothHFP = CategoryOptions(rawValue: 0x4)
        /// The speaker instead of the receiver (ROUTE-5).
        public static let defaultToSpeaker = CategoryOptions(rawValue: 0x8)
        /// Pauses spoken audio and mixes with the rest (DUCK-4).
        public static let interruptSpokenAudioAndMixWithOthers = CategoryOptions(rawValue: 0x11)
        /// Bluetooth outputs of full quality may be routes.
        public static let allowBluetoothA2DP = CategoryOptions(rawValue: 0x20)
        /// Network outputs may be routes.
        public static let allowAirPlay = CategoryOptions(rawValue: 0x40)
        /// Runs on with zeros when the microphone is muted in hardware (INT-10).
        public static let overrideMutedMicrophoneInterruption = CategoryOptions(rawValue: 0x80)
        /// Input from afar; needs allowBluetoothHFP.
        public static let farFieldInput = CategoryOptions(rawValue: 1 << 18)
        /// Recording from Bluetooth in full quality.
        public static let bluetoothHighQualityRecording = CategoryOptions(rawValue: 1 << 19)
    }

    /// Whether the route is shared with other long programmes (ROUTE-10).
    public enum RouteSharingPolicy: UInt, Hashable, Sendable {
        case `default` = 0
        case longFormAudio = 1
        case independent = 2
        case longFormVideo = 3

        /// The older name of longFormAudio.
        public static var longForm: RouteSharingPolicy { .longFormAudio }
    }

    /// How `setActive` is meant.
    public struct SetActiveOptions: OptionSet, Hashable, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Tells those who were interrupted that they may resume (ACT-8).
        public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
    }
}
