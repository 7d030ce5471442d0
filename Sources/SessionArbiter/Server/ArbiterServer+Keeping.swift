internal import Foundation
internal import SessionPolicy

/// What is kept for the next arbiter, what a client leaves behind, and what tools are told.
extension ArbiterServer {
    /// Numbers that are taken from the state file at a time.
    private static let numbers: UInt64 = 100

    /// What is known of a client's app from before: from the arbiter before this one, or what the user answered its program (PERM-2).
    func takeOn(_ connection: Connection) {
        guard rebuilding == nil, !tower.knows(connection.app) else { return }
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
        let program = connection.peer.program
        let answer = permissions?.answers[program] ?? settings.recordPermissions[program]
        guard let answer, answer != .undetermined else { return }
        try? decide(.setRecordPermission(app, answer))
    }

    /// A client is gone, and with it all that was its own (keeps ACT-12).
    func forget(_ connection: Connection) {
        rebuilding?.restored.removeAll { $0.connection == connection.number }
        rebuilding?.missing[connection.number] = nil
        guard connection.hello != nil, rebuilding == nil else { return }
        let hadSessions = !connection.sessions.isEmpty
        for id in connection.systemSessions { try? decide(.endSystemSession(id, shouldResume: true)) }
        let isLast = !connections.values.contains { $0.app == connection.app }
        let ofOthers = connection.sessions.filter { !isLast || tower.state[$0]?.app != connection.app }
        for id in ofOthers.sorted() { try? decide(.unregister(id)) }
        if isLast, tower.knows(connection.app) { try? decide(.appDied(connection.app)) }
        for id in connection.sessions.union(connection.systemSessions) { owners[id] = nil }
        // Devices of a server go with the last app that names it.
        persistSystem()
        if hadSessions { persistClients() }
    }

    /// Takes care that the next session's number is not given again.
    func reserveNumbers() {
        if tower.lastNumber >= persisted.reservedSessions { reserveMore() }
    }

    /// The same, in good time: when a reply has been sent, and nobody waits.
    func reserveNumbersAhead() {
        if tower.lastNumber + Self.numbers / 2 >= persisted.reservedSessions { reserveMore() }
    }

    private func reserveMore() {
        persisted.reservedSessions = tower.lastNumber + Self.numbers
        persist()
    }

    /// To be called when what is the system's own may have changed.
    func persistSystem() {
        let system = tower.systemRecord(keeping: { self.owners[$0] == nil })
        guard system != persisted.system else { return }
        persisted.system = system
        persist()
    }

    /// To be called when the loan of a period or of a rate may be another.
    func persistLoans() {
        guard persisted.loan != tower.loan || persisted.rateLoan != tower.rateLoan else { return }
        persisted.loan = tower.loan
        persisted.rateLoan = tower.rateLoan
        persist()
    }

    /// To be called when a client has its first session, has none any longer, or is gone.
    func persistClients() {
        let clients = connections.values.filter { !$0.sessions.isEmpty }.compactMap(\.mark)
        func inOrder(_ marks: [ClientMark]) -> [ClientMark] { marks.sorted { $0.process < $1.process } }
        guard inOrder(clients) != inOrder(persisted.clients) else { return }
        persisted.clients = clients
        persist()
    }

    func persist() {
        guard let stateFile else { return }
        if persisted.hasEnded {
            persisted.clients = []
            persisted.reservedSessions = tower.lastNumber
        }
        if let warning = stateFile.write(persisted) { report(warning) }
    }

    func makeReport() -> ArbiterReport {
        ArbiterReport(
            arbiter: number, process: getpid(), uptime: Self.now - begun, settings: settings.arbiter,
            decisions: tower.log.count,
            clients: connections.values.filter { $0.hello != nil }.sorted { $0.number < $1.number }.map {
                ArbiterReport.Client(
                    app: $0.app, process: $0.peer.process, program: $0.peer.program, isTrusted: $0.peer.isTrusted,
                    isAnswering: $0.ping.map { Self.now - $0.since < 2 * settings.pingInterval } ?? true)
            },
            sessions: tower.state.sessions.compactMap { news(of: $0.id) },
            system: tower.systemRecord(keeping: { self.owners[$0] == nil }), apps: tower.state.apps,
            hardware: tower.hardware)
    }
}
