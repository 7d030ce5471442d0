/// Remote control: which session receives commands, and what it publishes (rules REMOTE-1…3).
extension Arbitration {
    /// Sends a command to the now-playing session (keeps REMOTE-1, REMOTE-2). Throws if there is
    /// none, or its app does not handle the command: no command is lost without an answer. After a
    /// command to play, the session counts as in the foreground for a while (ACT-16).
    mutating func send(_ command: RemoteCommand) throws(Refusal) {
        try command.check()
        guard let session = state.nowPlaying else {
            throw Refusal(
                .resourceNotAvailable, .remote2,
                """
                No app can receive the remote command '\(command.kind.rawValue)': none has played without mixing \
                with others and handles remote commands. Start playback in an app; a command starts none.
                """)
        }
        let resolved = session.resolving(command)
        guard session.remoteCommands.contains(resolved.kind) else {
            let known = RemoteCommand.Kind.allCases.filter(session.remoteCommands.contains).map(\.rawValue)
            throw Refusal(
                .badParam, .remote1, by: session.id,
                """
                The now-playing app (\(session.id)) does not support the remote command \
                '\(command.kind.rawValue)'. It supports: \(known.joined(separator: ", ")).
                """)
        }
        let starts = resolved == .togglePlayPause && session.published.info.playbackState != .playing
        if resolved == .play || starts { try grantTemporaryForeground(session.id) }
        notify(session.id, .remoteCommand(resolved), .remote1)
    }

    /// Sets what a session publishes (keeps REMOTE-3).
    mutating func setNowPlaying(_ id: SessionID, _ info: NowPlayingInfo?) throws(Refusal) {
        if let refusal = info?.refusal { throw refusal }
        let record = info.map { NowPlayingRecord(info: $0, time: now.nanoseconds) }
        try change(id) { $0.nowPlaying = record }
    }

    /// Records which sessions have started to play without mixing with others, and lets the
    /// published positions of sessions that are not active stand still, in a decision that began
    /// with the state `before` (keeps REMOTE-2, REMOTE-3).
    mutating func updateRemoteControl(since before: PolicyState) {
        let now = now
        state.changeSessions { session in
            let earlier = before[session.id]
            if session.playsForRemoteControl, earlier?.playsForRemoteControl != true { session.lastPlayed = now }
            guard session.nowPlaying != nil, session.isActive != (earlier?.isActive ?? false) else { return }
            if !session.isActive { session.nowPlaying?.advance(to: now.nanoseconds) }
            session.nowPlaying?.time = now.nanoseconds
        }
    }
}

extension SessionState {
    /// Whether the session plays in a way that makes its app the now-playing one (REMOTE-2).
    fileprivate var playsForRemoteControl: Bool {
        rank == .app && app != .system && isActive && isRunning && isPrimary
    }

    /// Returns the command that reaches the app: an app that handles play and pause need not handle
    /// togglePlayPause. No other command changes; in particular, pause never toggles (REMOTE-1).
    fileprivate func resolving(_ command: RemoteCommand) -> RemoteCommand {
        guard command == .togglePlayPause, !remoteCommands.contains(.togglePlayPause),
            remoteCommands.isSuperset(of: [.play, .pause])
        else { return command }
        return published.info.playbackState == .playing ? .pause : .play
    }

    /// What is published of the session: what its app states, except that an interrupted or
    /// inactive session does not play. An app that states nothing publishes only whether it plays
    /// (REMOTE-3).
    public var published: NowPlayingRecord {
        guard var record = nowPlaying else {
            return NowPlayingRecord(info: NowPlayingInfo(isActive && isRunning ? .playing : .stopped), time: 0)
        }
        if record.info.playbackState == .playing, !isActive { record.info.playbackState = .paused }
        return record
    }
}

extension PolicyState {
    /// The session that receives remote commands: of those that handle any and do not mix with
    /// others, the one that started to play last. Nil if none has played (REMOTE-2).
    public var nowPlaying: SessionState? {
        sessions.filter { session in
            !session.remoteCommands.isEmpty && session.rank == .app && session.app != .system && session.isPrimary
                && session.lastPlayed != nil
        }.max { a, b in
            (a.lastPlayed ?? .zero, a.id) < (b.lastPlayed ?? .zero, b.id)
        }
    }
}

extension RemoteCommand {
    /// Throws if the command's value is out of range.
    fileprivate func check() throws(Refusal) {
        let limit = NowPlayingInfo.longestTime
        switch self {
        case .skip(let seconds): try check(seconds, in: -limit...limit, "s")
        case .seek(let seconds): try check(seconds, in: 0...limit, "s")
        case .setRate(let rate): try check(rate, in: NowPlayingInfo.rates, "times normal speed")
        default: break
        }
    }

    private func check(_ value: Double, in range: ClosedRange<Double>, _ unit: String) throws(Refusal) {
        guard range.contains(value) else {
            throw Refusal(
                .badParam, .remote1,
                """
                The remote command '\(kind.rawValue)' with \(value) is out of range; the value must be from \
                \(range.lowerBound) to \(range.upperBound) \(unit).
                """)
        }
    }
}

extension NowPlayingInfo {
    /// Why this information is refused; nil if it is valid (REMOTE-3).
    package var refusal: Refusal? {
        fault.map { Refusal(.badParam, .remote3, "The now-playing information is invalid: \($0)") }
    }
}
