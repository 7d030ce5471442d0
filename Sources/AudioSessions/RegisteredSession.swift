internal import AudioRendering
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// A session as the arbiter and the engine know it: its status, its buses, and the requests on its
/// behalf. Any thread.
final class RegisteredSession: Sendable {
    /// The session's id and buses, or the error for which it could not be created.
    let connection: Result<SessionConnection, AudioSessionError>
    private let app: RegisteredApp
    private let refusals = RefusalLog()
    /// Serializes applying the mode to the engine: the last thread to read the mode is the last to
    /// apply it.
    private let modeLock = Mutex(())

    init(_ connection: Result<SessionConnection, AudioSessionError>, of app: RegisteredApp) {
        self.connection = connection
        self.app = app
    }

    var id: SessionID? { try? connection.get().id }
    /// All existing buses of the session.
    var buses: [SessionBus] { (try? connection.get().buses) ?? [] }
    /// Whether the session is active and its sources deliver signal to one of its buses.
    var hasSignal: Bool { isActive && (try? connection.get().hasSignal) == true }
    /// Whether the session is active and one of its buses audible.
    var isAudible: Bool { isActive && (try? connection.get().isAudible) == true }
    /// The arbiter's current status of the session.
    var status: SessionStatus? { id.flatMap(app.arbiter.status) }
    var configuration: Configuration { status?.session.configuration ?? Configuration() }
    var isActive: Bool { status?.session.isActive ?? false }
    /// Whether the session is connected to its route: while it is active, and always for system
    /// sounds (PLAY-4).
    var usesOutput: Bool { isActive || playsSystemSounds }
    /// Whether the app's system sounds play in this session (PLAY-4).
    var playsSystemSounds: Bool { status?.session.playsSystemSounds ?? false }
    /// The last refused request; nil once the session's state has changed (keeps ACT-13).
    var lastRefusal: AudioSessionRefusal? { refusals.current(in: status?.session) }

    /// Submits an action to the arbiter. Throws its refusal, which `lastRefusal` then holds.
    func submit(_ action: (SessionID) -> PolicyAction) throws {
        try request { try app.submit(action(try connection.get().id)) }
        _ = lastRefusal
    }

    /// Submits an action without waiting for the decision. Throws only the error for which the
    /// session could not be created.
    func post(_ action: (SessionID) -> PolicyAction) throws {
        try request { app.arbiter.post(action(try connection.get().id)) {} }
    }

    /// Makes a request. If it throws an `AudioSessionError`, stores that as the last refusal.
    func request<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as AudioSessionError {
            refusals.record(error, in: status?.session)
            throw error
        }
    }

    /// Applies the mode to the session's buses. In mode measurement the library does not process
    /// the sound, so no output that the session is routed to is limited. If memory cannot be
    /// allocated or the command queue is full, the setting does not change; the library tries again
    /// at the next notice.
    func applyMode() {
        modeLock.withLock { _ in
            let isAllowed = configuration.mode.allowsProcessing
            for bus in buses { try? bus.setAllowsLimiting(isAllowed) }
        }
    }
}
