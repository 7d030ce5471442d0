/// The whole state of arbitration: a value, equal if and only if every decision from here on is equal.
public struct PolicyState: Hashable, Sendable, Codable {
    /// All sessions, by id.
    public private(set) var sessions: [SessionState] = []
    /// The active ones, the one that came last at the end. A change that counts as an activation (CAT-3) comes last too.
    public internal(set) var activeOrder: [SessionID] = []
    /// Those who asked to be activated as soon as that interrupts nobody, in the order they asked (ACT-14).
    public internal(set) var pendingActivations: [SessionID] = []
    /// What is plugged in, of all servers, the last in last; the servers' own ports, if known, first (ROUTE-2).
    public internal(set) var devices: [Device] = []
    /// Ports that the user picked, by uid (ROUTE-8).
    public internal(set) var pickedOutput: String?
    public internal(set) var pickedInput: String?
    public internal(set) var silentSwitch = Switch()
    /// Whether the microphone is muted in hardware (INT-10).
    public internal(set) var microphoneMute = Switch()
    public internal(set) var isScreenLocked = false
    /// While on, what begins to ring and the assistant wait (GUIDE-9).
    public internal(set) var isDoNotDisturbOn = false
    /// The apps of which something was told, by id.
    public private(set) var apps: [AppState] = []
    /// The system volume, 0…1 (VOL-1).
    public internal(set) var volume: Float = 1
    /// The volume of ringing, 0…1 (VOL-2).
    public internal(set) var ringVolume: Float = 1

    public init() {}

    /// A switch of the device, and since when it is where it is.
    public struct Switch: Hashable, Sendable, Codable {
        public var isOn: Bool
        public var since: EventTime

        public init(isOn: Bool = false, since: EventTime = .zero) {
            self.isOn = isOn
            self.since = since
        }
    }

    /// The session of an id; set to nil to forget it.
    public subscript(id: SessionID) -> SessionState? {
        get { index(of: id).map { sessions[$0] } }
        set {
            let place = self.place(of: id)
            let exists = place < sessions.count && sessions[place].id == id
            switch (newValue, exists) {
            case (let session?, true): sessions[place] = session
            case (let session?, false): sessions.insert(session, at: place)
            case (nil, true): sessions.remove(at: place)
            case (nil, false): break
            }
        }
    }

    /// Its place among `sessions`.
    func index(of id: SessionID) -> Int? {
        let place = self.place(of: id)
        return place < sessions.count && sessions[place].id == id ? place : nil
    }

    /// What is known of an app.
    public func app(_ id: AppID) -> AppState { apps.first { $0.id == id } ?? AppState(id: id) }

    /// Changes it; an app that is as if nothing had been told of it is not listed, so that equal states are equal.
    mutating func changeApp(_ id: AppID, _ change: (inout AppState) -> Void) {
        var app = app(id)
        change(&app)
        apps.removeAll { $0.id == id }
        if !app.isUntold { apps.insert(app, at: apps.firstIndex { $0.id.rawValue > id.rawValue } ?? apps.count) }
    }

    /// Forgets an app that is gone.
    mutating func forgetApp(_ id: AppID) { apps.removeAll { $0.id == id } }

    /// The active sessions, the newest last.
    public var active: [SessionState] { activeOrder.compactMap { self[$0] } }

    /// The volume of a session: ringing has one of its own (keeps VOL-1, VOL-2).
    public func volume(of session: SessionState) -> Float { session.isRinging ? ringVolume : volume }

    /// Those who wait for a session, by id.
    func waiters(for rival: SessionID) -> [SessionID] {
        sessions.filter { $0.wait?.rival == rival }.map(\.id)
    }

    /// The first place whose id is not below `id`.
    private func place(of id: SessionID) -> Int {
        var low = 0
        var high = sessions.count
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
