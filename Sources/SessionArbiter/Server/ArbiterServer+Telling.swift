internal import SessionPolicy

/// Who is told what, in an order that makes no client see an effect before its cause.
extension ArbiterServer {
    /// Notes a decision's notices with those whom they concern.
    func spread(_ notices: [SessionNotice]) {
        for notice in notices {
            guard let owner = owners[notice.effect.session], let connection = connections[owner] else { continue }
            connection.tell(notice)
            stale.insert(owner)
        }
        noteWhatConcernsAll()
        followLog()
    }

    /// What is not of one session has its own place in each client; whether it has changed is asked once a decision, not once a client.
    func noteWhatConcernsAll() {
        let common = Common(devices: tower.state.devices, hardware: tower.hardware, apps: tower.state.apps)
        guard common != toldToAll else { return }
        toldToAll = common
        stale.formUnion(connections.keys)
    }

    struct Common: Equatable {
        var devices: [Device] = []
        var hardware = HardwareWish()
        var apps: [AppState] = []
    }

    /// Tells those who follow the log of the last decision.
    func followLog() {
        guard connections.values.contains(where: \.followsLog), var last = tower.log.last else { return }
        last.makeBrief()
        while !fits(.decision(last)), last.makeBriefer() {}
        for connection in connections.values where connection.followsLog { send(.decision(last), to: connection) }
    }

    /// Tells the first of those who have something to be told, a little in a turn of the loop: a request that comes meanwhile does not wait for
    /// all. Whoever asked has been told already.
    func tellNext() {
        guard rebuilding == nil, let number = stale.popFirst(), let connection = connections[number] else { return }
        if !tell(connection, atMost: Self.turn) { stale.insert(number) }
    }

    /// Statuses and notices that one client is told in a turn.
    private static let turn = 8

    /// Whether somebody is still to be told something.
    var hasStaleClients: Bool { !stale.isEmpty && rebuilding == nil }

    /// What is, then what happened: who hears of an interruption can ask what the session is now. Returns whether that was all.
    @discardableResult
    func tell(_ connection: Connection, atMost limit: Int = .max) -> Bool {
        guard rebuilding == nil, connection.hello != nil else { return true }
        let application = tower.state.app(connection.app)
        if connection.toldApplication != application {
            connection.toldApplication = application
            send(.application(application), to: connection)
        }
        if connection.toldDevices != tower.state.devices {
            connection.toldDevices = tower.state.devices
            send(.devices(tower.state.devices), to: connection)
        }
        let sessions = connection.staleSessions.sorted().prefix(limit)
        for id in sessions {
            if let news = news(of: id) { send(.status(news), to: connection) }
        }
        connection.staleSessions.subtract(sessions)
        let notices = connection.staleSessions.isEmpty ? connection.notices.prefix(limit - sessions.count) : []
        for notice in notices { send(.notice(notice), to: connection) }
        connection.notices.removeFirst(notices.count)
        guard connection.staleSessions.isEmpty, connection.notices.isEmpty else { return false }
        stale.remove(connection.number)
        let hardware = tower.hardware
        if connection.toldHardware != hardware {
            connection.toldHardware = hardware
            send(.hardware(hardware), to: connection)
        }
        return true
    }

    func news(of id: SessionID) -> SessionNews? {
        tower.status(of: id).map {
            SessionNews(status: $0, grant: tower.grants.grant(of: id), pending: tower.grants.pending(of: id))
        }
    }
}

extension Decision {
    /// Without what is told of every session, so that it goes into a packet.
    fileprivate mutating func makeBrief() {
        guard case .granted(let effects) = outcome else { return }
        outcome = .granted(Array(effects.filter { $0.kind != .stateChanged }.prefix(100)))
    }

    /// With half of what is told; false when nothing is left to be left out.
    fileprivate mutating func makeBriefer() -> Bool {
        guard case .granted(let effects) = outcome, !effects.isEmpty else { return false }
        outcome = .granted(Array(effects.prefix(effects.count / 2)))
        return true
    }
}
