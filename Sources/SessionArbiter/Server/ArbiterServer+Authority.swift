internal import SessionPolicy

/// Who may ask for what. An app speaks for itself and its sessions; the device's switches are everybody's; for the system speak trusted
/// programs only.
extension ArbiterServer {
    /// What a device may be: each is told to every client.
    private enum DeviceLimit {
        static let devices = 32
        static let ports = 4
        static let characters = 128
    }

    func permit(registering app: AppID, _ connection: Connection) throws(RequestError) {
        if app != connection.app {
            guard connection.peer.isTrusted else { throw notTrusted("to speak for \(app)", connection) }
            guard app != .system, !connections.values.contains(where: { $0.app == app }) else {
                throw RequestError(.notPermitted, "\(app) was to be spoken for, but it speaks for itself.")
            }
        }
        let ofApp = tower.state.sessions.filter { $0.app == app }.count
        guard ofApp < settings.limits.sessionsPerApp else {
            throw RequestError(
                .limit,
                "\(app) has \(ofApp) sessions, the limit; give some up, or raise sessions-per-app in [limits] of the settings."
            )
        }
    }

    func permit(beginning rank: Rank, _ connection: Connection) throws(RequestError) {
        guard connection.peer.isTrusted else { throw notTrusted("to begin a session of rank \(rank)", connection) }
    }

    func permit(_ action: PolicyAction, _ connection: Connection) throws(RequestError) {
        switch action.subject {
        case .session(let id):
            // Of a session that is not there the policy says so.
            let isOwn = owners[id] == connection.number || tower.state[id] == nil
            guard isOwn || connection.peer.isTrusted else { throw notTrusted("to change \(id)", connection) }
        case .app(let app):
            let isOwn = app == connection.app || connection.sessions.contains { tower.state[$0]?.app == app }
            guard isOwn || connection.peer.isTrusted else { throw notTrusted("to change \(app)", connection) }
        case .device: try permitDevice(action)
        case .arbiter:
            throw RequestError(
                .malformed, "Sessions begin by the requests register and beginSystemSession, and apps end by ending.")
        }
    }

    private func permitDevice(_ action: PolicyAction) throws(RequestError) {
        switch action {
        case .plug(let device):
            let strings = [device.uid] + device.ports.flatMap { [$0.uid, $0.name] }
            let isKnown = tower.state.devices.contains { $0.uid == device.uid }
            guard isKnown || tower.state.devices.count < DeviceLimit.devices, device.ports.count <= DeviceLimit.ports,
                strings.allSatisfy({ $0.utf8.count <= DeviceLimit.characters })
            else {
                throw RequestError(
                    .limit,
                    """
                    A device was to be plugged in; there may be \(DeviceLimit.devices) of \(DeviceLimit.ports) ports each, with names of \
                    \(DeviceLimit.characters) bytes.
                    """)
            }
        default: break
        }
    }

    /// Takes room for a session; beyond the limit it throws.
    func reserveSession() throws(RequestError) {
        guard tower.state.sessions.count < settings.limits.sessions else {
            throw RequestError(
                .limit,
                "There are \(settings.limits.sessions) sessions, the limit; end some, or raise sessions in [limits] of the settings."
            )
        }
        reserveNumbers()
    }

    private func notTrusted(_ what: String, _ connection: Connection) -> RequestError {
        RequestError(
            .notPermitted,
            """
            \(connection.peer.program.isEmpty ? "A program" : connection.peer.program) asked \(what), but is not trusted to; name it under trusted in \
            [programs] of the arbiter's settings.
            """)
    }

    /// Reads what users answered, and answers for them.
    func permissions(
        _ program: String?, _ permission: RecordPermission?, _ connection: Connection
    ) throws(RequestError) -> [String: RecordPermission] {
        if let program, let permission {
            guard connection.peer.isTrusted else { throw notTrusted("to answer for the user", connection) }
            self.permissions?.keep(permission, for: program)
            for app in Set(connections.values.filter { $0.peer.program == program }.map(\.app)) {
                try decide(.setRecordPermission(app, permission))
            }
        }
        var answers = settings.recordPermissions
        answers.merge(self.permissions?.answers ?? [:]) { $1 }
        guard let program else { return answers }
        return answers.filter { $0.key == program }
    }
}

/// Whom an action concerns.
enum Subject {
    case session(SessionID)
    case app(AppID)
    case device
    /// The arbiter alone decides on it.
    case arbiter
}

extension PolicyAction {
    var subject: Subject {
        switch self {
        case .register, .appDied, .beginSystemSession: .arbiter
        case .unregister(let id), .configure(let id, _), .activate(let id), .requestActivation(let id),
            .deactivate(let id, _), .prefer(let id, _), .preferNoInterruptionsFromSystemAlerts(let id, _),
            .setOutputMuted(let id, _), .setRunning(let id, _), .setInputRunning(let id, _), .remotePlay(let id),
            .preferInput(let id, _), .overrideOutput(let id, _), .preferInterruptionOnRouteDisconnect(let id, _),
            .userPaused(let id), .acceptCall(let id), .endSystemSession(let id, _):
            .session(id)
        case .setApplicationState(let app, _), .setDeclaresBackgroundAudio(let app, _),
            .setRecordPermission(let app, _),
            .setInputMuted(let app, _):
            .app(app)
        case .setScreenLocked, .plug, .unplug, .pick, .setSilentSwitch, .setDoNotDisturb, .setMicrophoneMuted,
            .setVolume, .setRingVolume:
            .device
        }
    }

    /// Whether it changes what outlives the arbiter.
    var isOfTheSystem: Bool {
        switch self {
        case .acceptCall, .endSystemSession, .beginSystemSession: true
        default: if case .device = subject { true } else { false }
        }
    }
}
