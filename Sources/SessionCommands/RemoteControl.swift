internal import SessionArbiter
public import SessionPolicy

/// `audiosession remote`: shows the now-playing app and sends it commands, as a key of the keyboard
/// or the headset does (group REMOTE).
public struct RemoteControl {
    private let arbiter: any ArbiterClient

    public init(_ arbiter: any ArbiterClient) { self.arbiter = arbiter }

    /// Returns what the now-playing app publishes; `now` is a time on the arbiter's clock.
    public func show(at now: EventTime) throws(CommandError) -> NowPlayingResult {
        NowPlayingResult(try arbiter.report(), at: now)
    }

    /// Sends a command. Throws a usage error if no app can receive it or its value is out of range.
    public func send(_ command: RemoteCommand) throws(CommandError) -> ChangeResult {
        let receiver = try arbiter.report().nowPlaying
        do throws(RequestError) {
            _ = try arbiter.ask(.submit(.remoteCommand(command)))
        } catch {
            guard error.refusal?.rule == .remote2 else { throw CommandError(error) }
            throw CommandError(.usage, error.description)
        }
        return ChangeResult(
            "remote \(command.kind.rawValue)", "The now-playing app receives the command '\(command.phrase)'.",
            session: receiver?.rawValue)
    }
}

/// What the now-playing app publishes (REMOTE-3).
public struct NowPlayingResult: CommandResult, Equatable {
    /// Nil if no app receives remote commands.
    var nowPlaying: NowPlayingView?
    public let text: String

    private enum CodingKeys: String, CodingKey { case nowPlaying }

    init(_ report: ArbiterReport, at now: EventTime) {
        nowPlaying = NowPlayingView(report, at: now)
        text = nowPlaying.map { Text.lines([$0.summary(SessionNames(report))]) } ?? "No app receives remote commands."
    }
}

/// The now-playing session as the commands show it. The keys are a public interface: keys may be
/// added, but not changed.
struct NowPlayingView: Encodable, Equatable {
    var session: UInt64
    /// "playing", "paused", "stopped".
    var state: String
    var title: String?
    var artist: String?
    var album: String?
    var artworkURL: String?
    /// Seconds.
    var duration: Double?
    /// Seconds, at the time of the command.
    var position: Double
    var rate: Double
    var shuffled: Bool?
    /// "off", "one", "all".
    var `repeat`: String?
    /// The commands that the app handles.
    var commands: [String]

    init?(_ report: ArbiterReport, at now: EventTime) {
        guard let id = report.nowPlaying,
            let session = report.sessions.first(where: { $0.status.session.id == id })?.status.session
        else { return nil }
        let published = session.published
        let info = published.info
        self.session = id.rawValue
        state = info.playbackState.rawValue
        (title, artist, album, artworkURL) = (info.title, info.artist, info.album, info.artworkURL)
        duration = info.duration?.rounded(to: 3)
        position = published.position(at: now.nanoseconds).rounded(to: 3)
        rate = info.rate
        shuffled = info.isShuffled
        `repeat` = info.repeatMode?.rawValue
        commands = RemoteCommand.Kind.allCases.filter(session.remoteCommands.contains).map(\.rawValue)
    }

    /// One line: "session 2 (player, pid 1965): playing 'Intro' by Somebody, at 0:12 of 3:20".
    func summary(_ names: SessionNames) -> String {
        var line = "\(names.name(SessionID(session))): \(state)"
        if let title { line += " '\(title)'" }
        if let artist { line += " by \(artist)" }
        if state != "stopped" || position > 0 {
            line += ", at \(Text.clock(position))" + (duration.map { " of \(Text.clock($0))" } ?? "")
        }
        return line
    }
}
