internal import SessionArbiter
internal import SessionPolicy

/// Delivery of messages to clients, in an order in which no client sees an effect before its cause.
extension ArbiterServer {
    /// Queues a decision's notices for the clients that they concern, schedules updates of state
    /// that all clients share, and sends the decision to the clients that follow the log.
    func queueNotices(_ notices: [SessionNotice]) {
        for notice in notices {
            guard let owner = owners[notice.effect.session], let connection = connections[owner] else { continue }
            connection.send(notice)
            clientsToUpdate.insert(owner)
        }
        mediaControlMayHaveChanged = true
        markSharedChanges()
        sendLastDecision()
    }

    /// If the state that all clients receive has changed, schedules an update of every client.
    /// Compares it once for each decision, not once for each client.
    func markSharedChanges() {
        let common = Common(devices: core.state.devices, hardware: core.hardware, apps: core.state.apps)
        guard common != lastShared else { return }
        lastShared = common
        clientsToUpdate.formUnion(connections.keys)
    }

    struct Common: Equatable {
        var devices: [AudioDevice] = []
        var hardware = HardwareRequest()
        var apps: [AppState] = []
    }

    /// Sends the last decision to the clients that follow the log.
    func sendLastDecision() {
        guard connections.values.contains(where: \.followsLog), var last = core.log.last else { return }
        last.makeBrief()
        while !fits(.decision(last)), last.makeBriefer() {}
        for connection in connections.values where connection.followsLog { send(.decision(last), to: connection) }
    }

    /// Sends some messages to the client that has waited longest. The event loop calls this once in
    /// each iteration, so that a new request does not have to wait until all clients are updated.
    /// The client whose request caused the changes has already received its messages.
    func sendPending() {
        guard rebuilding == nil, let number = clientsToUpdate.popFirst(), let connection = connections[number] else {
            return
        }
        if !send(connection, atMost: Self.turn) { clientsToUpdate.insert(number) }
    }

    /// The maximum number of statuses and notices that `sendPending` sends.
    private static let turn = 8

    /// Whether anything has to be sent to a client.
    var hasClientsToUpdate: Bool { !clientsToUpdate.isEmpty && rebuilding == nil }

    /// Sends a client the current state and then the notices, so that a client that learns of an
    /// interruption can query the session's current state. Returns whether nothing is left to send.
    @discardableResult
    func send(_ connection: Connection, atMost limit: Int = .max) -> Bool {
        guard rebuilding == nil, connection.hello != nil else { return true }
        let application = core.state.app(connection.app)
        if connection.sentApplication != application {
            connection.sentApplication = application
            send(.application(application), to: connection)
        }
        if connection.sentDevices != core.state.devices {
            connection.sentDevices = core.state.devices
            send(.devices(core.state.devices), to: connection)
        }
        let sessions = connection.sessionsToReport.sorted().prefix(limit)
        for id in sessions {
            if let update = update(of: id) { send(.status(update), to: connection) }
        }
        connection.sessionsToReport.subtract(sessions)
        let notices = connection.sessionsToReport.isEmpty ? connection.notices.prefix(limit - sessions.count) : []
        for notice in notices { send(.notice(notice), to: connection) }
        connection.notices.removeFirst(notices.count)
        guard connection.sessionsToReport.isEmpty, connection.notices.isEmpty else { return false }
        clientsToUpdate.remove(connection.number)
        let hardware = core.hardware
        if connection.reportedHardware != hardware {
            connection.reportedHardware = hardware
            send(.hardware(hardware), to: connection)
        }
        return true
    }

    func update(of id: SessionID) -> SessionUpdate? {
        core.status(of: id).map {
            SessionUpdate(status: $0, grantNumber: core.grants.grant(of: id), pending: core.grants.pending(of: id))
        }
    }
}

extension Decision {
    /// Removes the effects `stateChanged`, and of the others all but the first 100, so that the
    /// decision fits into a packet in most cases.
    fileprivate mutating func makeBrief() {
        guard case .granted(let effects) = outcome else { return }
        outcome = .granted(Array(effects.filter { $0.kind != .stateChanged }.prefix(100)))
    }

    /// Removes half of the effects; returns false if none are left.
    fileprivate mutating func makeBriefer() -> Bool {
        guard case .granted(let effects) = outcome, !effects.isEmpty else { return false }
        outcome = .granted(Array(effects.prefix(effects.count / 2)))
        return true
    }
}
