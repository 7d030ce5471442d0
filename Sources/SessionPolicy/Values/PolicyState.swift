/// The complete state of arbitration, as a value. In equal states, equal events cause equal
/// decisions.
public struct PolicyState: Hashable, Sendable, Codable {
    /// All sessions, ordered by id.
    public private(set) var sessions: [SessionState] = []
    /// The active sessions, the most recently activated last. A change that counts as an activation
    /// (CAT-3) moves a session to the end.
    public internal(set) var activeOrder: [SessionID] = []
    /// The sessions that requested activation as soon as it interrupts no other session, in the
    /// order of their requests (ACT-14).
    public internal(set) var pendingActivations: [SessionID] = []
    /// The devices of all servers and the virtual devices, the newest last; the servers' own ports,
    /// if known, come first (ROUTE-2).
    public internal(set) var devices: [AudioDevice] = []
    /// The ports that the user picked, by uid (ROUTE-8).
    public internal(set) var pickedOutput: String?
    public internal(set) var pickedInput: String?
    public internal(set) var silentSwitch = Switch()
    /// Whether the microphone is muted in hardware (INT-10).
    public internal(set) var microphoneMute = Switch()
    public internal(set) var isScreenLocked = false
    /// While on, new ringing calls are deferred (GUIDE-9).
    public internal(set) var isDoNotDisturbOn = false
    /// The apps whose state is not the default one, ordered by id.
    public private(set) var apps: [AppState] = []
    /// The system volume, 0…1 (VOL-1).
    public internal(set) var volume: Float = 1
    /// The volume of ringing calls, 0…1 (VOL-2).
    public internal(set) var ringVolume: Float = 1

    public init() {}

    /// A switch of the device, and the time of its last change.
    public struct Switch: Hashable, Sendable, Codable {
        public var isOn: Bool
        public var since: EventTime

        public init(isOn: Bool = false, since: EventTime = .zero) {
            self.isOn = isOn
            self.since = since
        }
    }

    /// Accesses the session of an id. Setting nil forgets the session.
    public subscript(id: SessionID) -> SessionState? {
        get { index(of: id).map { sessions[$0] } }
        set {
            let index = insertionIndex(of: id)
            let exists = index < sessions.count && sessions[index].id == id
            switch (newValue, exists) {
            case (let session?, true): sessions[index] = session
            case (let session?, false): sessions.insert(session, at: index)
            case (nil, true): sessions.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Changes every session in place. `change` must not change the id.
    mutating func changeSessions(_ change: (inout SessionState) -> Void) {
        for index in sessions.indices { change(&sessions[index]) }
    }

    /// Returns the index of a session in `sessions`; nil if it is unknown.
    func index(of id: SessionID) -> Int? {
        let index = insertionIndex(of: id)
        return index < sessions.count && sessions[index].id == id ? index : nil
    }

    /// Returns the state of an app.
    public func app(_ id: AppID) -> AppState { apps.first { $0.id == id } ?? AppState(id: id) }

    /// Changes the state of an app. An app in the default state is not listed, so that equal states
    /// compare equal.
    mutating func changeApp(_ id: AppID, _ change: (inout AppState) -> Void) {
        var app = app(id)
        change(&app)
        apps.removeAll { $0.id == id }
        if !app.isDefault { apps.insert(app, at: apps.firstIndex { $0.id.rawValue > id.rawValue } ?? apps.count) }
    }

    /// Forgets an app that is gone.
    mutating func forgetApp(_ id: AppID) { apps.removeAll { $0.id == id } }

    /// The active sessions, the newest last.
    public var active: [SessionState] { activeOrder.compactMap { self[$0] } }

    /// Returns the volume of a session; ringing calls have a separate volume (keeps VOL-1, VOL-2).
    public func volume(of session: SessionState) -> Float { session.isRinging ? ringVolume : volume }

    /// Returns the first index whose session id is not below `id`.
    private func insertionIndex(of id: SessionID) -> Int {
        var low = 0
        var high = sessions.count
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
