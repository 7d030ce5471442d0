package import ArbiterService
package import DesktopBridge
internal import SessionPolicy

/// Adopts the programs that do not use this library: each gets a session at the arbiter, and its
/// streams and players do what the arbiter grants it.
///
/// It reacts to events and has neither a thread nor a clock. All functions must be called by one
/// thread at a time.
package struct Adopter {
    let tools: any AdoptionTools
    let processes: any Processes
    private(set) var settings: AdoptionSettings
    var programs: [ProgramKey: ForeignProgram] = [:]

    /// The cookie of the PipeWire that has the streams.
    private var pipeWire: UInt32?
    var streams: [StreamID: ForeignStream] = [:]
    /// Where each stream comes from, as it was when the stream appeared.
    var origins: [StreamID: Origin] = [:]
    /// The last command for each stream, and the streams for which it is in effect.
    var commands: [StreamID: StreamCommand] = [:]
    var reached: Set<StreamID> = []
    /// The last command for each stream whose sound is detected.
    var detections: [StreamID: StreamCommand] = [:]
    /// Those of them that are audible, and the streams whose detection has failed.
    var audible: Set<StreamID> = []
    var undetected: Set<StreamID> = []
    /// Streams that the next stream controller has not reported yet.
    private(set) var awaitedStreams: Set<StreamID> = []

    var players: [ForeignPlayer.ID: ForeignPlayer] = [:]
    /// Players that the next connection to the bus has not reported yet.
    private var awaitedPlayers: Set<ForeignPlayer.ID> = []

    /// The players that an adopter that was killed has left paused.
    var recovery: Recovery

    private(set) var hasEnded = false
    private var timerCount = 0

    /// `abandoned`: the players that an adopter that was killed has left paused.
    package init(
        _ settings: AdoptionSettings, abandoned: [PausedPlayer] = [], processes: any Processes, tools: any AdoptionTools
    ) {
        self.settings = settings
        recovery = Recovery(abandoned: abandoned)
        self.processes = processes
        self.tools = tools
    }

    /// Whether anything is lowered, held or paused.
    package var hasAltered: Bool {
        !recovery.abandoned.isEmpty || programs.values.contains { $0.hold != nil }
            || commands.values.contains { !$0.restores }
    }

    mutating func nextTimer() -> Int {
        timerCount += 1
        return timerCount
    }

    /// Applies other settings at once. An ignored program is freed, and resumed if it is held.
    package mutating func apply(_ newSettings: AdoptionSettings) {
        guard newSettings != settings, !hasEnded else { return }
        let oldSettings = settings
        settings = newSettings
        for key in keysInOrderOfChange {
            guard let program = programs[key] else { continue }
            let (old, new) = (program.classification, facts(of: program).classification(settings))
            let before = old?.kind.configuration(interrupts: oldSettings.playersInterrupt)
            let after = new?.kind.configuration(interrupts: settings.playersInterrupt)
            if old?.kind != new?.kind || before != after { programs[key]?.isReconfigured = true }
            programs[key]?.classification = new
            reconsider(key)
        }
    }

    /// All programs, conversations last: while one is active, the arbiter refuses others.
    private var keysInOrderOfChange: [ProgramKey] {
        let keys = programs.keys.sorted { $0.order < $1.order }
        let conversations = keys.filter { programs[$0]?.sessionKind == .conversation }
        return keys.filter { !conversations.contains($0) } + conversations
    }

    // MARK: Streams

    package mutating func handle(_ event: StreamEvent) {
        switch event {
        case .stream(let stream):
            streams[stream.id] = stream
            regroup()
            if awaitedStreams.remove(stream.id) != nil { returned(stream.id) }
        case .gone(let id): remove([id])
        case .reached(let id): streamReached(id)
        case .refused(let id, _):
            // A stream that cannot be silenced must not keep its player from being paused.
            streamReached(id)
        case .audible(let id): heard(id, true)
        case .inaudible(let id): heard(id, false)
        case .undetected(let id, _): detectionFailed(id)
        case .synced:
            remove(awaitedStreams)
            recover { $0.hasStreams = true }
        case .ready(_, let cookie): controllerReady(cookie)
        case .malformed, .ended: break
        }
    }

    /// A stream controller has reached PipeWire. In another PipeWire process, the ids of earlier
    /// streams are those of other streams, which a command on its way may have altered.
    private mutating func controllerReady(_ cookie: UInt32?) {
        if cookie != pipeWire {
            let ids = Set(streams.keys)
            remove(ids)
            awaitedStreams = ids
        }
        pipeWire = cookie
    }

    /// The next stream controller has reported a stream. Its program may be unchanged, but the
    /// stream has been freed meanwhile; unless a command was on its way when the controllers
    /// changed.
    private mutating func returned(_ id: StreamID) {
        undetected.remove(id)
        if let key = key(of: id) { reconsider(key) }
        if commands[id] == nil { tools.send(.level(id, attenuation: 0, milliseconds: 0)) }
    }

    /// The stream controller has ended, and is started again. It, or the next one, frees all
    /// streams; they get their commands again when the next one has reported them.
    package mutating func controllerLost() {
        awaitedStreams = Set(streams.keys)
        commands = [:]
        // What was audible counts as that until the next one reports it.
        detections = [:]
        for id in awaitedStreams { streamReached(id) }
    }

    /// There is no PipeWire any longer, and so there are no streams.
    package mutating func streamsLost() {
        remove(Set(streams.keys))
        recover { $0.hasStreams = true }
    }

    private mutating func remove(_ ids: Set<StreamID>) {
        guard !ids.isEmpty else { return }
        for id in ids {
            streams[id] = nil
            origins[id] = nil
            commands[id] = nil
            detections[id] = nil
        }
        audible.subtract(ids)
        undetected.subtract(ids)
        reached.subtract(ids)
        awaitedStreams.subtract(ids)
        regroup()
    }

    // MARK: Players

    package mutating func playerChanged(_ player: ForeignPlayer) {
        guard !isMirror(player) else { return }
        var isReturned = false
        if let old = awaitedPlayers.first(where: { players[$0]?.isSame(as: player) == true }) {
            // The bus was lost, and the player has returned.
            isReturned = true
            awaitedPlayers.remove(old)
            players[old] = nil
            for key in programs.keys { programs[key]?.rename(old, to: player.id) }
        }
        players[player.id] = player
        abandonedPlayerChanged(player)
        regroup()
        guard isReturned, player.status == .paused,
            programs.values.contains(where: { $0.hold == nil && $0.resuming[player.id] != nil })
        else { return }
        // The request was lost with the bus.
        tools.play(player.id)
    }

    /// Names of players that show what other players do: the one of all apps that use this library,
    /// which are sessions themselves, and those of remote controls.
    private static let mirrors = ["playerctld", "kdeconnect", "plasma-browser-integration"]

    private func isMirror(_ player: ForeignPlayer) -> Bool {
        if player.process.flatMap(processes.program)?.hasSuffix("/audiosession-mpris") == true { return true }
        return player.names.contains { name in
            Self.mirrors.contains { name == $0 || name.hasPrefix($0 + ".") }
        }
    }

    package mutating func playerVanished(_ id: ForeignPlayer.ID) {
        guard players.removeValue(forKey: id) != nil else { return }
        regroup()
    }

    /// The session bus is lost. The players return with the next connection.
    package mutating func busLost() {
        awaitedPlayers = Set(players.keys)
        recovery.hasPlayers = false
    }

    /// The session bus has returned, and all players have been reported; or it does not return.
    package mutating func playersSynced() {
        if !awaitedPlayers.isEmpty {
            players = players.filter { !awaitedPlayers.contains($0.key) }
            awaitedPlayers = []
            regroup()
        }
        recover { $0.hasPlayers = true }
    }

    // MARK: The arbiter

    /// Another arbiter has taken over. It knows the sessions, but not that programs outside of the
    /// screen play on.
    package mutating func arbiterChanged() {
        for (key, program) in programs {
            if let session = program.session { declareBackground(session) }
            if let session = program.session, let shouldResume = program.dueEnd {
                programs[key]?.dueEnd = nil
                endInterruption(key, session, shouldResume: shouldResume)
            }
            reconsider(key)
        }
    }

    /// Frees all programs: players that were paused for others play again. From then on, no event
    /// has an effect.
    package mutating func freeAll() {
        for key in programs.keys { release(key) }
        playAbandoned()
        (programs, streams, players) = ([:], [:], [:])
        hasEnded = true
    }
}

extension ForeignPlayer {
    /// Whether this is the player of another connection to the bus.
    fileprivate func isSame(as other: ForeignPlayer) -> Bool {
        process != nil && process == other.process && !Set(names).isDisjoint(with: other.names)
    }
}
