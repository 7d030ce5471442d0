internal import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// Which client may request what. A client acts for its own app and sessions. Every client may
/// operate the device's switches. Only trusted programs act for the system.
extension ArbiterServer {
    /// The limits of a device, which is reported to every client.
    private enum DeviceLimit {
        /// Virtual devices only; the policy limits those of a server.
        static let devices = 32
        static let ports = 4
        static let characters = 128
        /// The maximum for all devices in one message. A session's status also contains ports, and
        /// must fit into one packet.
        static let bytes = ArbiterProtocol.packetLimit / 2
    }

    /// The maximum length of a path in bytes, as in the system.
    private static let maximumPathLength = 4_096

    /// Throws unless the client may register or restore a session of `app`: its own app, or for a
    /// trusted client one that is not connected, within the limit of sessions per app. `others` are
    /// registered at the same time.
    func permit(registering app: AppID, besides others: Int = 0, _ connection: Connection) throws(RequestError) {
        if app != connection.app {
            guard connection.peer.isTrusted else { throw notTrusted("to act for \(app)", connection) }
            guard app != .system, !connections.values.contains(where: { $0.app == app }) else {
                throw RequestError(.notPermitted, "\(app) is connected itself; no other program can act for it.")
            }
        }
        let ofApp = core.state.sessions.filter { $0.app == app }.count + others
        guard ofApp < settings.limits.sessionsPerApp else {
            throw RequestError(
                .limit,
                "\(app) has reached its limit of \(ofApp) sessions; release some, or raise limits.sessions-per-app in the settings."
            )
        }
    }

    func permit(beginning rank: Rank, _ connection: Connection) throws(RequestError) {
        guard connection.peer.isTrusted else { throw notTrusted("to begin a session of rank \(rank)", connection) }
    }

    /// Throws unless the session belongs to the client, and the description is within its limits.
    func permit(
        describing id: SessionID, _ description: SessionDescription?, _ connection: Connection
    ) throws(RequestError) {
        guard owners[id] == connection.number else {
            throw RequestError(
                .notPermitted, "\(id) cannot be described: it is not a session of this client. Describe your own.")
        }
        guard description?.isWithinLimits != false else {
            throw RequestError(
                .limit,
                """
                The description of \(id) is too long: its texts have at most \(SessionDescription.maximumLength) bytes \
                each, and there are at most \(SessionDescription.maximumControls) controls. Shorten it.
                """)
        }
    }

    /// Throws unless the client may submit the action: for its own sessions and apps, for any if it
    /// is trusted, and for the device within the limits of device descriptions. A session that does
    /// not exist is left to the policy, which refuses it.
    func permit(_ action: PolicyAction, _ connection: Connection) throws(RequestError) {
        try permitNameLength(in: action)
        switch action.subject {
        case .session(let id):
            // If the session does not exist, the policy refuses the action.
            let isOwn = owners[id] == connection.number || core.state[id] == nil
            guard isOwn || connection.peer.isTrusted else { throw notTrusted("to change \(id)", connection) }
            if case .endSystemSession = action, let session = core.state[id], session.app != .system {
                throw RequestError(
                    .malformed, "\(id) cannot be ended as a system session: it belongs to an app. Unregister it.")
            }
        case .app(let app):
            let isOwn = app == connection.app || connection.sessions.contains { core.state[$0]?.app == app }
            guard isOwn || connection.peer.isTrusted else { throw notTrusted("to change \(app)", connection) }
            if case .setDevices(_, let server, let list) = action { try permitDevices(list, of: server, seenBy: app) }
        case .device: try permitDevice(action)
        case .arbiter:
            throw RequestError(
                .malformed, "Only the arbiter takes this action; begin sessions with register or beginSystemSession.")
        }
    }

    /// Throws if a virtual device to plug in exceeds a limit. Any client may submit the other
    /// actions of the device.
    private func permitDevice(_ action: PolicyAction) throws(RequestError) {
        guard case .plug(let device) = action else { return }
        let devices = core.state.devices.filter { $0.server != nil || $0.uid != device.uid } + [device]
        guard devices.count(where: { $0.server == nil }) <= DeviceLimit.devices,
            device.ports.count <= DeviceLimit.ports, Self.hasPermittedNames(device), Self.fitsIntoPacket(devices)
        else {
            throw RequestError(
                .limit,
                """
                The device cannot be plugged in: there may be at most \(DeviceLimit.devices) devices of \
                \(DeviceLimit.ports) ports each, with names of \(DeviceLimit.characters) bytes, and with \
                \(DeviceLimit.bytes) bytes of JSON in total.
                """)
        }
    }

    /// Throws if the names in a server's list are too long, or the devices of all servers together
    /// take too many bytes. The policy limits the number of devices of a server, and of ports of a
    /// device.
    private func permitDevices(_ list: [AudioDevice], of server: String, seenBy app: AppID) throws(RequestError) {
        let others = core.state.devices.filter { device in
            guard let named = device.server, named != server else { return device.server == nil }
            // Devices that only this app saw are removed.
            return core.state.apps.contains { $0.server == named && $0.id != app }
        }
        // As they are reported, each with the name of its server.
        let owned = list.map {
            AudioDevice(uid: $0.uid, ports: $0.ports, server: $0.server ?? server, isAwaited: $0.isAwaited)
        }
        guard server.utf8.count <= DeviceLimit.characters, list.allSatisfy(Self.hasPermittedNames),
            Self.fitsIntoPacket(others + owned)
        else {
            throw RequestError(
                .limit,
                """
                The list of \(list.count) devices exceeds a limit: names have at most \(DeviceLimit.characters) \
                bytes, and the devices of all servers \(DeviceLimit.bytes) bytes of JSON in total.
                """)
        }
    }

    private static func hasPermittedNames(_ device: AudioDevice) -> Bool {
        let strings = [device.uid, device.server ?? ""] + device.ports.flatMap { [$0.uid, $0.name] }
        return strings.allSatisfy { $0.utf8.count <= DeviceLimit.characters }
    }

    private static func fitsIntoPacket(_ devices: [AudioDevice]) -> Bool {
        (try? JSONEncoder().encode(devices).count) ?? .max <= DeviceLimit.bytes
    }

    /// Throws if the name of a device or a port in an action, or a text of the now-playing
    /// information, is too long. Even if the policy refuses the action, the text would be stored in
    /// the log and sent to clients that follow it.
    private func permitNameLength(in action: PolicyAction) throws(RequestError) {
        let name: String?
        switch action {
        case .preferInput(_, let uid), .pick(_, let uid): name = uid
        case .unplug(let uid): name = uid
        case .setNowPlaying(_, let info):
            if let refusal = info?.refusal { throw RequestError(refusal) }
            return
        default: return
        }
        guard let name, name.utf8.count > DeviceLimit.characters else { return }
        throw RequestError(
            .limit,
            "A name of \(name.utf8.count) bytes is too long; the limit for devices and ports is \(DeviceLimit.characters)."
        )
    }

    /// Reserves the number of the next session. Throws if the limit of sessions is reached,
    /// together with `others` that are registered at the same time.
    func reserveSession(besides others: Int = 0) throws(RequestError) {
        guard core.state.sessions.count + others < settings.limits.sessions else {
            pingIdleClients()
            throw RequestError(
                .limit,
                "The limit of \(settings.limits.sessions) sessions is reached; end some, or raise limits.sessions in the settings."
            )
        }
        reserveNumbers()
    }

    private func notTrusted(_ what: String, _ connection: Connection) -> RequestError {
        RequestError(
            .notPermitted,
            """
            \(connection.peer.program.isEmpty ? "A program" : connection.peer.program) is not trusted \(what); \
            list it under programs.trusted in the arbiter's settings.
            """)
    }

    /// Returns the user's permissions by program, for all programs or for one. If `permission` is
    /// not nil, first sets it on behalf of the user, which only a trusted client may do, and
    /// applies it to the running apps of the program.
    func permissions(
        _ program: String?, _ permission: RecordPermission?, _ connection: Connection
    ) throws(RequestError) -> [String: RecordPermission] {
        guard program?.utf8.count ?? 0 <= Self.maximumPathLength else {
            throw RequestError(.limit, "A program's path has at most \(Self.maximumPathLength) bytes.")
        }
        if let permission {
            guard let program else {
                throw RequestError(
                    .malformed, "A permission was set without a program; name the program that it is for.")
            }
            guard connection.peer.isTrusted else { throw notTrusted("to answer for the user", connection) }
            self.permissions?.save(permission, for: program)
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

extension PolicyAction {
    /// Whether the action may change the state of the system, which outlives the arbiter. Clients
    /// keep the state of their own apps and sessions.
    var changesStoredSystemState: Bool {
        switch self {
        case .acceptCall, .endSystemSession, .beginSystemSession, .setDevices: true
        default: if case .device = subject { true } else { false }
        }
    }
}
