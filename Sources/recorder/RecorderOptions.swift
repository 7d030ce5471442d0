import ArgumentParser
import AudioPlayback
import AudioRendering
import Foundation
import SessionProgramSupport

/// The file and options of the `recorder` command.
struct RecorderOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            """
            The file to record to. Its extension selects the format: \
            \(AudioRecorder.knownExtensions.joined(separator: ", ")). An existing file is not replaced.
            """, valueName: "file"), completion: .file(), transform: ByteArguments.path)
    var file: AudioFilePath

    @Option(
        help: ArgumentHelp(
            """
            Session category: \(Names.categories.known). (default: record; with --monitor: playAndRecord)
            """, valueName: "name"), completion: .list(Names.categories.names))
    var category: String?

    @OptionGroup var session: SessionOptions

    @Option(help: ArgumentHelp("Preferred I/O buffer duration; the server rounds it.", valueName: "seconds"))
    var ioBuffer: Double?

    @OptionGroup var server: ServerOptions

    @Option(
        help: ArgumentHelp("Uid, type or name of the input to record; default: the current route.", valueName: "port"))
    var input: String?

    @Option(
        help: ArgumentHelp(
            """
            How ports are connected. device: to the route; remembered: as in the last run; none: not at all, so that \
            you can connect them by hand.
            """,
            valueName: "device|remembered|none"))
    var connections = ConnectionOption.device

    @Option(help: ArgumentHelp("Number of channels; default: those of the input, at most 8.", valueName: "n"))
    var channels: Int?

    @Option(help: ArgumentHelp("The first channel of the input to record, from 1.", valueName: "n"))
    var firstChannel = 1

    @Option(help: ArgumentHelp("Ends the recording after this time; pauses do not count.", valueName: "seconds"))
    var duration: Double?

    @Option(
        help: ArgumentHelp(
            "Ends the recording before its files exceed this size, in bytes; k, M and G multiply by 1000.",
            valueName: "bytes"))
    var maxSize: ByteCount?

    @Option(help: ArgumentHelp("Starts after this time.", valueName: "seconds"))
    var startIn: Double?

    @Option(help: ArgumentHelp("Starts at this time of the day, within 24 hours.", valueName: "hh:mm[:ss]"))
    var startAt: TimeOfDay?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Starts with the first sound of this level in dBFS, -120…0.", valueName: "db"))
    var startLevel: Double?

    @Option(help: ArgumentHelp("Time before that sound to record as well, 0…60.", valueName: "seconds"))
    var preRoll = 0.5

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Plays the input while it is recorded, with this gain in dB, -120…24. Feeds back near a microphone.",
            valueName: "db"))
    var monitor: Double?

    @Option(
        help: ArgumentHelp(
            "Whether to continue after an interruption: recommended: if the system recommends it.",
            valueName: "never|recommended|always"))
    var resume = Resumption.recommended

    @Option(
        help: ArgumentHelp(
            """
            What to do when the input becomes another one. stop: ends the recording; next: continues in another file. \
            (default: the setting record-through-input-change)
            """, valueName: "stop|next"))
    var inputChange: InputChange?

    @Option(help: ArgumentHelp("Also reports the level of each channel, at this interval.", valueName: "seconds"))
    var levels: Double?

    @OptionGroup var interface: InterfaceOptions

    enum Resumption: String, ExpressibleByArgument, CaseIterable {
        case never, recommended, always

        var policy: AudioRecorder.ResumePolicy {
            switch self {
            case .never: .never
            case .recommended: .ifRecommended
            case .always: .always
            }
        }
    }
    enum InputChange: String, ExpressibleByArgument, CaseIterable { case stop, next }

    func validate() throws {
        if let channels { try check("--channels", Double(channels), in: 1...64) }
        try check("--first-channel", Double(firstChannel), in: 1...64)
        try check("--pre-roll", preRoll, in: 0...60)
        if let duration { try check("--duration", duration, in: 0.001...1e9) }
        if let startIn { try check("--start-in", startIn, in: 0...1e9) }
        if let startLevel { try check("--start-level", startLevel, in: -120...0) }
        if let monitor { try check("--monitor", monitor, in: -120...24) }
        if let levels { try check("--levels", levels, in: 0.1...3600) }
        guard startIn == nil || startAt == nil else {
            throw ValidationError("--start-in and --start-at both set the start; choose one.")
        }
    }

    /// The name of the session's category.
    var categoryName: String { category ?? (monitor == nil ? "record" : "playAndRecord") }

    /// The seconds until the start.
    var delay: Double { startIn ?? startAt?.secondsUntil ?? 0 }

    /// What the recorder records, from an input of this many channels.
    func configuration(channels: Int) -> AudioRecorder.Configuration {
        AudioRecorder.Configuration(
            channels: channels, firstChannel: firstChannel - 1, maximumBytes: maxSize?.bytes,
            inputChange: inputChange.map { $0 == .stop ? .stop : .nextFile }, preRoll: preRoll)
    }
}

/// A size in bytes, such as 650M.
struct ByteCount: ExpressibleByArgument {
    let bytes: Int

    init?(argument: String) {
        let factors = ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9]
        let factor = argument.last.flatMap { factors[String($0)] }
        guard let number = Double(factor == nil ? argument : String(argument.dropLast())) else { return nil }
        let bytes = number * (factor ?? 1)
        guard bytes >= 1, bytes <= 1e18 else { return nil }
        self.bytes = Int(bytes)
    }
}

/// A time of the day, in the time zone of the system.
struct TimeOfDay: ExpressibleByArgument {
    private let components: DateComponents

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        let limits = [24, 60, 60]
        guard (2...3).contains(parts.count), zip(parts, limits).allSatisfy({ (0..<$1).contains($0 ?? -1) }) else {
            return nil
        }
        components = DateComponents(hour: parts[0], minute: parts[1], second: parts.count > 2 ? parts[2] : 0)
    }

    /// The seconds until that time comes next.
    var secondsUntil: Double {
        Calendar.current.nextDate(after: .now, matching: components, matchingPolicy: .nextTime)?.timeIntervalSinceNow
            ?? 0
    }
}
