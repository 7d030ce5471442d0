package import SessionPolicy

/// A part of the whole state space that is small enough to be explored completely: three app
/// sessions, their behaviours, and the dimensions that vary in addition to activation and
/// deactivation, with or without notice.
package struct Slice: Sendable {
    package var name: String
    /// The behaviours of sessions 1, 2 and 3 at the start. Each cast is a separate start state.
    package var casts: [[Behaviour]]
    package var dimensions: Set<Dimension>
    /// The number of sessions, from the first, that the dimensions apply to.
    package var reach: Int
    /// The behaviours that `reconfiguration` can give a session.
    package var reconfigurations: [Behaviour]

    package init(
        _ name: String, _ dimensions: Set<Dimension>, casts: [[Behaviour]], reach: Int = 1,
        reconfigurations: [Behaviour] = [.primary, .ducker]
    ) {
        self.name = name
        self.casts = casts
        self.dimensions = dimensions
        self.reach = reach
        self.reconfigurations = reconfigurations
    }

    package static let sessions: [SessionID] = (1...3).map { SessionID($0) }

    /// The ids of the system's sessions in the slice.
    package var systemSessions: [SessionID] { Set(dimensions.compactMap(\.systemSession)).sorted() }

    package var settings: PolicySettings {
        var settings = PolicySettings()
        settings.notifiesSuspension = dimensions.contains(.suspensionNotified)
        settings.mutedMicrophoneInterrupts = dimensions.contains(.microphone)
        return settings
    }

    package func app(of session: SessionID) -> AppID {
        dimensions.contains(.sharedApp) && session == SessionID(2) ? AppID(1) : AppID(session.rawValue)
    }

    func apps(of sessions: [SessionID]) -> [AppID] {
        sessions.map(app).reduce(into: []) { apps, app in if !apps.contains(app) { apps.append(app) } }
    }

    /// All events of the slice, in a fixed order.
    package var actions: [PolicyAction] {
        let core: [PolicyAction] = Self.sessions.flatMap { id in
            [.activate(id), .deactivate(id, notifyOthers: true), .deactivate(id, notifyOthers: false)]
        }
        let varied = dimensions.sorted().flatMap { $0.actions(on: Array(Self.sessions.prefix(reach)), in: self) }
        return (core + varied).reduce(into: (list: [], seen: Set<PolicyAction>())) { found, action in
            if found.seen.insert(action).inserted { found.list.append(action) }
        }.list
    }

    /// The events before a cast's exploration begins: sessions register, are configured, and run.
    package func preparation(of cast: [Behaviour]) -> [PolicyAction] {
        let machine: [PolicyAction] = dimensions.contains(.headphones) ? [.plug(.machine)] : []
        let servers =
            dimensions.contains(.servers)
            ? [AppID(1), app(of: SessionID(2))].map { Dimension.sees($0, "studio", []) } : []
        return machine + servers
            + zip(Self.sessions, cast).flatMap { id, behaviour -> [PolicyAction] in
                var actions: [PolicyAction] = [.register(id, app: app(of: id)), .configure(id, behaviour.change)]
                if !dimensions.contains(.running) { actions.append(.setRunning(id, true)) }
                if !dimensions.contains(.permission) { actions.append(.setRecordPermission(app(of: id), .granted)) }
                return actions
            }
    }
}
