internal import Foundation
internal import SessionPolicy

/// Who may ask for what. An app speaks for itself and its sessions; the device's switches are everybody's; for the system speak trusted
/// programs only.
extension ArbiterServer {
    /// What a device may be: each is told to every client.
    private enum DeviceLimit {
        /// Of stand-ins; a server's have limits of their own in the policy.
        static let devices = 32
        static let ports = 4
        static let characters = 128
        /// Of all devices in a message: what is told of a session names ports too, and is to go into one packet.
        static let bytes = ArbiterProtocol.packetLimit / 2
    }

    /// Bytes of a path, as the system counts them.
    private static let longestPath = 4_096

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
        try permitName(in: action)
        switch action.subject {
        case .session(let id):
            // Of a session that is not there the policy says so.
            let isOwn = owners[id] == connection.number || tower.state[id] == nil
            guard isOwn || connection.peer.isTrusted else { throw notTrusted("to change \(id)", connection) }
            if case .endSystemSession = action, let session = tower.state[id], session.app != .system {
                throw RequestError(
                    .malformed, "\(id) was to be ended as the system's, but it is an app's; unregister it.")
            }
        case .app(let app):
            let isOwn = app == connection.app || connection.sessions.contains { tower.state[$0]?.app == app }
            guard isOwn || connection.peer.isTrusted else { throw notTrusted("to change \(app)", connection) }
            if case .setDevices(_, let server, let list) = action { try permitList(list, of: server, seenBy: app) }
        case .device: try permitDevice(action)
        case .arbiter:
            throw RequestError(
                .malformed, "Sessions begin by the requests register and beginSystemSession, and apps end by ending.")
        }
    }

    private func permitDevice(_ action: PolicyAction) throws(RequestError) {
        guard case .plug(let device) = action else { return }
        let devices = tower.state.devices.filter { $0.server != nil || $0.uid != device.uid } + [device]
        guard devices.count(where: { $0.server == nil }) <= DeviceLimit.devices,
            device.ports.count <= DeviceLimit.ports, Self.permits(device), Self.fitsIntoPacket(devices)
        else {
            throw RequestError(
                .limit,
                """
                A device was to be plugged in; there may be \(DeviceLimit.devices) of \(DeviceLimit.ports) ports each, with names of \
                \(DeviceLimit.characters) bytes, and with \(DeviceLimit.bytes) bytes of JSON in all.
                """)
        }
    }

    /// How many devices a server may have, and ports a device, the policy says.
    private func permitList(_ list: [Device], of server: String, seenBy app: AppID) throws(RequestError) {
        let others = tower.state.devices.filter { device in
            guard let named = device.server, named != server else { return device.server == nil }
            // Those that only this app saw go.
            return tower.state.apps.contains { $0.server == named && $0.id != app }
        }
        // As they are told, each with its server's name.
        let owned = list.map { Device(uid: $0.uid, ports: $0.ports, server: $0.server ?? server) }
        guard server.utf8.count <= DeviceLimit.characters, list.allSatisfy(Self.permits),
            Self.fitsIntoPacket(others + owned)
        else {
            throw RequestError(
                .limit,
                """
                \(list.count) devices of a server were told; names have at most \(DeviceLimit.characters) bytes, and the devices of all \
                servers \(DeviceLimit.bytes) bytes of JSON.
                """)
        }
    }

    private static func permits(_ device: Device) -> Bool {
        let strings = [device.uid, device.server ?? ""] + device.ports.flatMap { [$0.uid, $0.name] }
        return strings.allSatisfy { $0.utf8.count <= DeviceLimit.characters }
    }

    private static func fitsIntoPacket(_ devices: [Device]) -> Bool {
        (try? JSONEncoder().encode(devices).count) ?? .max <= DeviceLimit.bytes
    }

    /// What names a device or a port is no longer than such names are: refused or not, it is in the log, and told to who follows that.
    private func permitName(in action: PolicyAction) throws(RequestError) {
        let name: String?
        switch action {
        case .preferInput(_, let uid), .pick(_, let uid): name = uid
        case .unplug(let uid): name = uid
        default: return
        }
        guard let name, name.utf8.count > DeviceLimit.characters else { return }
        throw RequestError(
            .limit,
            "A name of \(name.utf8.count) bytes was asked for; devices and ports have at most \(DeviceLimit.characters)."
        )
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
        guard program?.utf8.count ?? 0 <= Self.longestPath else {
            throw RequestError(.limit, "A program's path has at most \(Self.longestPath) bytes.")
        }
        if let permission {
            guard let program else {
                throw RequestError(
                    .malformed, "An answer for the user came without the program that it is for; name that.")
            }
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
            .setInputMuted(let app, _), .setDevices(let app, _, _), .resetSessions(let app):
            .app(app)
        case .setScreenLocked, .plug, .unplug, .pick, .setSilentSwitch, .setDoNotDisturb, .setMicrophoneMuted,
            .setVolume, .setRingVolume:
            .device
        }
    }

    /// Whether it changes what outlives the arbiter.
    var isOfTheSystem: Bool {
        switch self {
        case .acceptCall, .endSystemSession, .beginSystemSession, .setDevices: true
        default: if case .device = subject { true } else { false }
        }
    }
}
