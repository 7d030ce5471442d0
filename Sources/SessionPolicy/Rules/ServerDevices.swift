/// Devices of audio servers. The apps that use a server report its devices, and only these apps see
/// them (rules ROUTE-2, ROUTE-4, ROUTE-9).
extension Arbitration {
    /// Adopts the complete list of devices that an app sees on its server. Missing devices are
    /// removed first (ROUTE-4), then changed devices are updated, then new devices are added, the
    /// last of which is the newest (ROUTE-2). An awaited device that has returned keeps its
    /// position (SRV-2). The first list that any app reports for a server describes devices that
    /// were connected before: it causes no route change, unless the app has moved from another
    /// server, and its devices count as older than the virtual devices that belong to no server.
    mutating func setDevices(_ list: [AudioDevice], of server: String, seenBy app: AppID) throws(Refusal) {
        try checkApp(app, .route1)
        var list = try checked(list, of: server)
        let awaited = Set(list.filter(\.isAwaited).map(\.uid))
        for index in list.indices { list[index].isAwaited = false }
        let isFirst = !state.apps.contains { $0.server == server }
        if let before = state.app(app).server, before != server {
            // The app has moved to another server, so its sessions have other routes (ROUTE-3).
            reroute(.routeConfigurationChange) { $0.move(app, to: server, isFirst ? list : []) }
        } else {
            state.move(app, to: server, isFirst ? list : [])
        }
        // Forgets the devices that only this app saw.
        forgetUnnamedServers()
        guard !isFirst else { return setMissing(awaited, awaited: awaited, by: app) }
        let before = state.devices(of: server)
        let (known, uids) = (Set(before.map(\.uid)), Set(list.map(\.uid)))
        let kept = before.filter { !uids.contains($0.uid) && isAwaited($0, besides: app) }
        let gone = before.filter { !uids.contains($0.uid) && !kept.contains($0) }
        if !gone.isEmpty { removeDevices(gone) }
        let changed = list.filter { known.contains($0.uid) && !before.contains($0) }
        if !changed.isEmpty { updateDevices(changed) }
        let new = list.filter { !known.contains($0.uid) }
        if !new.isEmpty { addDevices(new) }
        setMissing(awaited.union(kept.map(\.uid)), awaited: awaited, by: app)
    }

    /// Returns whether another app of the device's server awaits it: it then remains, although this
    /// app does not see it (keeps SRV-2).
    private func isAwaited(_ device: AudioDevice, besides app: AppID) -> Bool {
        state.apps.contains { other in
            other.id != app && other.server == device.server && other.awaitedDevices.contains(device.uid)
        }
    }

    /// Records which devices an app misses. Its sessions lose these ports, or have them again,
    /// without being routed elsewhere (keeps SRV-2).
    private mutating func setMissing(_ missing: Set<String>, awaited: Set<String>, by app: AppID) {
        let before = state.app(app)
        guard before.missingDevices != missing || before.awaitedDevices != awaited else { return }
        let hasReturned = !before.missingDevices.isSubset(of: missing)
        reroute(hasReturned ? .newDeviceAvailable : .routeConfigurationChange) { state in
            state.changeApp(app) { ($0.missingDevices, $0.awaitedDevices) = (missing, awaited) }
        }
    }

    /// Removes the devices that no app of their server sees or awaits, after an app has left.
    mutating func forgetMissingDevices() {
        let unseen = state.devices.filter { device in
            let apps = device.server.map { server in state.apps.filter { $0.server == server } } ?? []
            return !apps.isEmpty
                && apps.allSatisfy {
                    $0.missingDevices.contains(device.uid) && !$0.awaitedDevices.contains(device.uid)
                }
        }
        if !unseen.isEmpty { removeDevices(unseen) }
    }

    /// Returns the list with the name of its server. Throws if the list is invalid.
    private func checked(_ list: [AudioDevice], of server: String) throws(Refusal) -> [AudioDevice] {
        guard !server.isEmpty, list.count <= AudioDevice.maximumPerServer, Set(list.map(\.uid)).count == list.count,
            list.allSatisfy({ $0.server == nil || $0.server == server })
        else {
            throw Refusal(
                .badParam, .route1,
                """
                The list of \(list.count) devices of server '\(server)' is invalid: the server needs a name, and its \
                devices, at most \(AudioDevice.maximumPerServer), each need a unique uid and may name no other server.
                """)
        }
        var owned = list
        for index in owned.indices { owned[index].server = server }
        for device in owned { try check(device, among: owned) }
        return owned
    }

    /// Removes the devices of the servers that no app names any longer, and the picks of their
    /// ports. No session is affected.
    mutating func forgetUnnamedServers() {
        let named = Set(state.apps.compactMap(\.server))
        state.devices.removeAll { device in device.server.map { !named.contains($0) } ?? false }
        state.endLostPicks()
    }
}

extension PolicyState {
    /// Records that the app now uses that server. The devices in `list` are added as the oldest
    /// ones.
    fileprivate mutating func move(_ app: AppID, to server: String, _ list: [AudioDevice]) {
        changeApp(app) { app in
            if app.server != server { (app.missingDevices, app.awaitedDevices) = ([], []) }
            app.server = server
        }
        let index = devices.count(where: \.isServer)
        devices.insert(contentsOf: list.filter { !$0.isServer }, at: index)
        devices.insert(contentsOf: list.filter(\.isServer), at: 0)
    }
}

extension AudioDevice {
    /// The maximum number of devices of one server, and of ports of one device.
    static let maximumPerServer = 256
    static let maximumPorts = 64

    var isServer: Bool { uid == Self.serverUID }

    /// Returns whether an app of this server sees the device; nil stands for a server that is not
    /// known.
    func isSeen(from server: String?) -> Bool { self.server == nil || self.server == server }
}
