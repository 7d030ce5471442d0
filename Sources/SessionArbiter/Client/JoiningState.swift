internal import Dispatch
internal import SessionPolicy

/// What a process that has arbitrated for itself takes to the arbiter that it joins.
struct JoiningState: Sendable {
    struct Session: Sendable {
        var update: SessionUpdate
        /// The state of the session's app.
        var app: AppState
        /// Nil for the system's sessions.
        var gate: SessionGate?
        var observer: (any SessionObserver)?

        var id: SessionID { update.status.session.id }
    }

    /// In the order of their numbers.
    var sessions: [Session]
    var application: AppState
    var seenDevices: SeenDevices?
    /// Contains the overrides that this process has made.
    var hardware: HardwareRequest

    var message: ClientMessage.Join {
        ClientMessage.Join(
            restoring: sessions.count, application: application, bufferSizeOverride: hardware.bufferSizeOverride,
            sampleRateOverride: hardware.sampleRateOverride)
    }
}

/// The devices that this process sees on its audio server; the next arbiter needs them too.
struct SeenDevices: Sendable {
    var server: String
    var devices: [AudioDevice]
}

extension DispatchQueue {
    /// Creates a queue on which an arbiter calls observers.
    static func notices() -> DispatchQueue { DispatchQueue(label: "audio-session.notices") }
}

extension ClientMessage.Restoration {
    /// Creates the restoration of a session from its last update.
    init(_ update: SessionUpdate, of app: AppState, gate: SessionGate?) {
        self.init(
            record: SessionRecord(
                session: update.status.session, grantNumber: update.grantNumber, pending: update.pending, app: app,
                resolvedGrant: update.status.resolvedGrant),
            gate: gate?.words ?? GateWords(grant: 0, volume: 0))
    }
}
