internal import SessionPolicy

/// Who is told what, in an order that makes no client see an effect before its cause.
extension ArbiterServer {
    /// Clients to be told in one turn of the loop: a request that comes meanwhile does not wait for all of them.
    private static let turn = 8

    /// Notes a decision's notices with those whom they concern.
    func spread(_ notices: [SessionNotice]) {
        for notice in notices {
            guard let owner = owners[notice.effect.session], let connection = connections[owner] else { continue }
            connection.tell(notice)
        }
        followLog()
    }

    /// Tells those who follow the log of the last decision.
    func followLog() {
        guard connections.values.contains(where: \.followsLog), var last = tower.log.last else { return }
        last.makeBrief()
        for connection in connections.values where connection.followsLog { send(.decision(last), to: connection) }
    }

    /// Tells some of those who have something to be told; whoever asked has been told already.
    func tellAll() {
        guard rebuilding == nil else { return }
        var left = Self.turn
        for connection in connections.values where left > 0 && connection.hello != nil && isStale(connection) {
            tell(connection)
            left -= 1
        }
    }

    private func isStale(_ connection: Connection) -> Bool {
        !connection.notices.isEmpty || !connection.staleSessions.isEmpty
            || connection.toldDevices != tower.state.devices || connection.toldHardware != tower.hardware
            || connection.toldApplication != tower.state.app(connection.app)
    }

    /// What is, then what happened: who hears of an interruption can ask what the session is now.
    func tell(_ connection: Connection) {
        guard rebuilding == nil, connection.hello != nil else { return }
        let application = tower.state.app(connection.app)
        if connection.toldApplication != application {
            connection.toldApplication = application
            send(.application(application), to: connection)
        }
        if connection.toldDevices != tower.state.devices {
            connection.toldDevices = tower.state.devices
            send(.devices(tower.state.devices), to: connection)
        }
        for id in connection.staleSessions.sorted() {
            guard let news = news(of: id) else { continue }
            send(.status(news), to: connection)
        }
        connection.staleSessions = []
        for notice in connection.notices { send(.notice(notice), to: connection) }
        connection.notices = []
        let hardware = tower.hardware
        if connection.toldHardware != hardware {
            connection.toldHardware = hardware
            send(.hardware(hardware), to: connection)
        }
    }

    func news(of id: SessionID) -> SessionNews? {
        tower.status(of: id).map {
            SessionNews(status: $0, grant: tower.grants[id], pending: tower.grants.pending(id))
        }
    }

    /// Whether somebody is still to be told something.
    var hasStaleClients: Bool { connections.values.contains { $0.hello != nil && isStale($0) } }
}

extension Decision {
    /// Without what is told of every session, so that it goes into a packet.
    fileprivate mutating func makeBrief() {
        guard case .granted(let effects) = outcome else { return }
        outcome = .granted(Array(effects.filter { $0.kind != .stateChanged }.prefix(100)))
    }
}
