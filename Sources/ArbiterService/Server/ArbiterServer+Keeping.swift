internal import Platform
internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// The state that is stored for the next arbiter, the removal of clients, and the report for tools.
extension ArbiterServer {
    /// How many numbers are reserved in the state file at a time.
    private static let numbers: UInt64 = 100

    /// Applies what is already known of the app of a new client: its state as the previous arbiter
    /// reported it, and the user's permission for its program (PERM-2).
    func applyKnownAppState(_ connection: Connection) {
        guard rebuilding == nil, !core.knows(connection.app) else { return }
        let app = connection.app
        let before = connection.hello?.application
        if let before, before.id == app {
            let actions: [PolicyAction] = [
                .setApplicationState(app, before.life),
                .setDeclaresBackgroundAudio(app, before.declaresBackgroundAudio),
                .setInputMuted(app, before.isInputMuted),
            ]
            for action in actions { try? decide(action) }
        }
        guard let answer = storedPermission(of: connection.peer.program) else { return }
        try? decide(.setRecordPermission(app, answer))
    }

    /// Returns the user's answer for a program, or that of the settings; nil if there is none.
    func storedPermission(of program: String) -> RecordPermission? {
        let answer = permissions?.answers[program] ?? settings.recordPermissions[program]
        return answer == .undetermined ? nil : answer
    }

    /// Removes a client that is gone, and everything that belonged to it (keeps ACT-12). While the
    /// state is being rebuilt, only discards the sessions that the client has restored.
    func forget(_ connection: Connection) {
        rebuilding?.restored.removeAll { $0.connection == connection.number }
        rebuilding?.missing[connection.number] = nil
        guard connection.hello != nil, rebuilding == nil else { return }
        let hadSessions = !connection.sessions.isEmpty
        for id in connection.systemSessions { try? decide(.endSystemSession(id, shouldResume: true)) }
        let isLast = !connections.values.contains { $0.app == connection.app }
        let ofOthers = connection.sessions.filter { !isLast || core.state[$0]?.app != connection.app }
        for id in ofOthers.sorted() { try? decide(.unregister(id)) }
        if isLast, core.knows(connection.app) { try? decide(.appDied(connection.app)) }
        for id in connection.sessions.union(connection.systemSessions) {
            owners[id] = nil
            descriptions[id] = nil
        }
        // The devices of a server are removed with the last app that names it.
        persistSystem()
        if hadSessions { persistClientList() }
    }

    /// Ensures that the state file reserves the number of the next session, so that no later
    /// arbiter assigns it again.
    func reserveNumbers() {
        if core.lastSessionNumber >= persisted.reservedSessions { reserveMore() }
    }

    /// Reserves further numbers before they are needed, after a reply was sent, so that no client
    /// has to wait for the file.
    func reserveNumbersAhead() {
        if core.lastSessionNumber + Self.numbers / 2 >= persisted.reservedSessions { reserveMore() }
    }

    private func reserveMore() {
        persisted.reservedSessions = core.lastSessionNumber + Self.numbers
        persist()
    }

    /// Stores the system's state if it has changed.
    func persistSystem() {
        let system = core.systemRecord(keeping: { self.owners[$0] == nil })
        guard system != persisted.system else { return }
        persisted.system = system
        persist()
    }

    /// Stores the overrides of the period and the sample rate if they have changed.
    func persistOverrides() {
        guard
            persisted.bufferSizeOverride != core.bufferSizeOverride
                || persisted.sampleRateOverride != core.sampleRateOverride
        else { return }
        persisted.bufferSizeOverride = core.bufferSizeOverride
        persisted.sampleRateOverride = core.sampleRateOverride
        persist()
    }

    /// Stores the list of clients if it has changed: when a client has its first session, has none
    /// any longer, or is gone.
    func persistClientList() {
        let clients = connections.values.filter { !$0.sessions.isEmpty }.compactMap(\.mark)
        func inOrder(_ marks: [ProcessMark]) -> [ProcessMark] { marks.sorted { $0.process < $1.process } }
        guard inOrder(clients) != inOrder(persisted.clients) else { return }
        persisted.clients = clients
        persist()
    }

    /// Writes the state file, and reports a failure. After the end of an arbiter whose clients have
    /// no sessions, the file reserves no unused session numbers.
    func persist() {
        guard let stateFile else { return }
        if persisted.hasEnded {
            persisted.clients = []
            persisted.reservedSessions = core.lastSessionNumber
        }
        if let warning = stateFile.write(persisted) { report(warning) }
    }

    /// Returns everything that the arbiter knows at this moment.
    func makeReport() -> ArbiterReport {
        ArbiterReport(
            arbiter: number, process: getpid(), uptime: Self.now - startTime, settings: settings.arbiter,
            decisions: core.log.count,
            clients: connections.values.filter { $0.hello != nil }.sorted { $0.number < $1.number }.map {
                ArbiterReport.Client(
                    app: $0.app, process: $0.peer.process, program: $0.peer.program, isTrusted: $0.peer.isTrusted,
                    isAnswering: $0.ping.map { Self.now - $0.since < 2 * settings.pingInterval } ?? true)
            },
            sessions: core.state.sessions.compactMap { update(of: $0.id) },
            system: core.systemRecord(keeping: { self.owners[$0] == nil }), apps: core.state.apps,
            hardware: core.hardware, nowPlaying: core.state.nowPlaying?.id, adopted: adoptedPrograms,
            descriptions: core.state.sessions.compactMap { session in
                descriptions[session.id].map { .init(session: session.id, description: $0) }
            })
    }

    /// The programs for which another one has registered sessions.
    private var adoptedPrograms: [ArbiterReport.Adopted] {
        var adopted: [AppID: ArbiterReport.Adopted] = [:]
        for session in core.state.sessions where adopted[session.app] == nil && session.app != .system {
            guard let owner = owners[session.id].flatMap({ connections[$0] }), owner.app != session.app else {
                continue
            }
            // An app's number is that of its process, unless that is in another PID namespace.
            let program = pid_t(exactly: session.app.rawValue).map { identify($0).program }
            adopted[session.app] = ArbiterReport.Adopted(app: session.app, program: program ?? "", by: owner.app)
        }
        return adopted.values.sorted { $0.app.rawValue < $1.app.rawValue }
    }
}
