internal import ArbiterService
internal import DesktopBridge
internal import SessionPolicy

/// Which streams and players are one program.
extension Adopter {
    /// Where a stream comes from.
    struct Origin {
        /// The process and its parents; empty if the process is not known.
        var chain: [Int32]
        /// The program, unless one of them has a media player.
        var key: ProgramKey
    }

    private typealias Group = (
        streams: [StreamID: ForeignStream], players: [ForeignPlayer.ID: ForeignPlayer]
    )

    /// The program that a stream belongs to.
    func key(of stream: StreamID) -> ProgramKey? { programs.first { $0.value.streams[stream] != nil }?.key }

    /// Assigns streams and players to programs, and reconsiders those that have changed.
    mutating func regroup() {
        guard !hasEnded else { return }
        var groups: [ProgramKey: Group] = [:]
        for player in players.values {
            guard let process = player.process else { continue }
            groups[.process(process), default: ([:], [:])].players[player.id] = player
        }
        let owners = Set(players.values.compactMap(\.process))
        for stream in streams.values {
            let origin = origins[stream.id] ?? findOrigin(of: stream)
            if let owner = origin.chain.first(where: owners.contains), origin.key != .process(owner) {
                // It stays with its owner when the player is gone.
                origins[stream.id] = Origin(chain: origin.chain, key: .process(owner))
            } else {
                origins[stream.id] = origin
            }
            groups[origins[stream.id]?.key ?? origin.key, default: ([:], [:])].streams[stream.id] = stream
        }
        move(to: groups)
        for key in Set(groups.keys).union(programs.keys) {
            let group = groups[key] ?? ([:], [:])
            let before = programs[key]
            guard before == nil || before?.streams != group.streams || before?.players != group.players else {
                continue
            }
            update(key, group)
        }
    }

    /// Finds the process of a stream and its parents. The topmost of them that runs the same
    /// program stands for it, so that all processes of a browser are one.
    private func findOrigin(of stream: ForeignStream) -> Origin {
        guard let process = stream.process ?? plausibleProcess(of: stream) else {
            let name = stream.applicationID ?? stream.application ?? stream.binary
            return Origin(chain: [], key: name.map(ProgramKey.name) ?? .stream(stream.id))
        }
        let chain = processes.chain(from: process)
        guard let path = processes.program(of: process) else { return Origin(chain: chain, key: .process(process)) }
        let top = chain.prefix { processes.program(of: $0) == path }.last
        return Origin(chain: chain, key: .process(top ?? process))
    }

    /// The process that a client of pipewire-pulse claims to be, if that runs the program which the
    /// client claims to be. A program in a container states a number that means another process
    /// here.
    private func plausibleProcess(of stream: ForeignStream) -> Int32? {
        guard let process = stream.claimedProcess, let path = processes.program(of: process) else { return nil }
        guard let binary = stream.binary else { return process }
        return path.split(separator: "/").last.map(String.init) == binary ? process : nil
    }

    /// Lets a program keep its session if all that it consists of is now known by another key: the
    /// player of its parent process has appeared.
    private mutating func move(to groups: [ProgramKey: Group]) {
        for (key, group) in groups where programs[key] == nil {
            let old = Set(group.streams.keys.compactMap { self.key(of: $0) })
            guard let previous = old.first, old.count == 1, groups[previous] == nil,
                var program = programs.removeValue(forKey: previous)
            else { continue }
            program.key = key
            programs[key] = program
        }
    }

    private mutating func update(_ key: ProgramKey, _ group: Group) {
        var program = programs[key] ?? ForeignProgram(key)
        let playersBefore = program.players
        (program.streams, program.players) = group
        guard !program.isEmpty else {
            programs[key] = nil
            // For others it has left with notice (ACT-12).
            if let session = program.session { _ = tools.submit(.unregister(session)) }
            return
        }
        program.classification = facts(of: program).classification(settings)
        programs[key] = program
        if playersBefore != program.players { playersMoved(key, from: playersBefore) }
        reconsider(key)
    }

    func facts(of program: ForeignProgram) -> ProgramFacts {
        let path = program.key.process.flatMap(processes.program)
        return ProgramFacts(
            streams: program.streams.values.sorted { $0.id < $1.id }, players: Array(program.players.values),
            path: path, isInstalled: path.map(processes.isInstalled) == true)
    }
}
