/// Devices of media servers: what the apps of a server see there is what is plugged in for them (rules ROUTE-2, ROUTE-4, ROUTE-9).
extension Arbitration {
    /// Takes over the whole list that an app sees: what is missing goes first (ROUTE-4), then what differs changes, then what is new comes, the
    /// last of it as the newest (ROUTE-2). The first list of a server at all says what was there before: it is no change, and stands behind
    /// the stand-ins of no server.
    mutating func setDevices(_ list: [Device], of server: String, seenBy app: AppID) throws(Refusal) {
        try checkApp(app, .route1)
        let list = try checked(list, of: server)
        let isFirst = !state.apps.contains { $0.server == server }
        if let before = state.app(app).server, before != server {
            // The app has moved: its routes are others, which is news for its sessions (ROUTE-3).
            reroute(.routeConfigurationChange) { $0.move(app, to: server, isFirst ? list : []) }
        } else {
            state.move(app, to: server, isFirst ? list : [])
        }
        // Nobody sees any longer what only this app saw.
        forgetUnnamedServers()
        guard !isFirst else { return }
        let before = state.devices(of: server)
        let (known, uids) = (Set(before.map(\.uid)), Set(list.map(\.uid)))
        let gone = before.filter { !uids.contains($0.uid) }
        if !gone.isEmpty { goOut(gone) }
        let changed = list.filter { known.contains($0.uid) && !before.contains($0) }
        if !changed.isEmpty { change(changed) }
        let new = list.filter { !known.contains($0.uid) }
        if !new.isEmpty { comeIn(new) }
    }

    /// The list with its server's name; throws when it can be none.
    private func checked(_ list: [Device], of server: String) throws(Refusal) -> [Device] {
        guard !server.isEmpty, list.count <= Device.mostOfServer, Set(list.map(\.uid)).count == list.count,
            list.allSatisfy({ $0.server == nil || $0.server == server })
        else {
            throw Refusal(
                .badParam, .route1,
                """
                \(list.count) devices of server '\(server)' were told; the server needs a name, and its devices, \
                \(Device.mostOfServer) at most, need a uid of their own each and no other server.
                """)
        }
        var owned = list
        for place in owned.indices { owned[place].server = server }
        for device in owned { try check(device, among: owned) }
        return owned
    }

    /// The devices of a server go with the last app that names it; nobody is left whom that concerns.
    mutating func forgetUnnamedServers() {
        let named = Set(state.apps.compactMap(\.server))
        state.devices.removeAll { device in device.server.map { !named.contains($0) } ?? false }
        state.endLostPicks()
    }
}

extension PolicyState {
    /// The app uses that server now; `list` was there before.
    fileprivate mutating func move(_ app: AppID, to server: String, _ list: [Device]) {
        changeApp(app) { $0.server = server }
        let place = devices.count(where: \.isServer)
        devices.insert(contentsOf: list.filter { !$0.isServer }, at: place)
        devices.insert(contentsOf: list.filter(\.isServer), at: 0)
    }
}

extension Device {
    /// Devices of one server.
    static let mostOfServer = 256
    static let mostPorts = 64
}
