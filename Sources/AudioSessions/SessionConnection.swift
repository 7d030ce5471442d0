public import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// A session's ties: its number and gate with the arbiter, its bus in the engine.
struct SessionConnection: Sendable {
    let id: SessionID
    let gate: SessionGate
    let bus: SessionBus

    /// Registers with the arbiter and adds a bus that obeys the gate; what fails half-way is undone.
    static func make(
        on host: AudioSessionHost, _ receiver: SessionReceiver
    ) -> Result<SessionConnection, AudioSessionError> {
        Result { () throws(AudioSessionError) in
            let engine = try host.engine.get()
            let registration: SessionRegistration
            do throws(ArbiterError) {
                registration = try host.arbiter.register(app: host.app, observer: receiver)
            } catch {
                throw AudioSessionError(error)
            }
            do throws(AudioEngineError) {
                let bus = try engine.makeSessionBus(gate: registration.gate.page, owner: registration.gate)
                return SessionConnection(id: registration.id, gate: registration.gate, bus: bus)
            } catch {
                try? host.arbiter.submit(.unregister(registration.id))
                throw AudioSessionError(error)
            }
        }
    }
}

/// Passes notices to a session that may be gone: registration comes before the session exists.
final class SessionReceiver: SessionObserver {
    private struct Target { weak var session: AudioSession? }
    private let target = Locked(Target())

    func set(_ session: AudioSession) { target.withLock { $0.session = session } }

    func receive(_ notice: SessionNotice) {
        let session = target.withLock { $0.session }
        session?.receive(notice)
    }

    func replaceGate(_ gate: SessionGate) {}
}

extension AudioSession {
    /// The bus that this session's sources play into, for apps that mix voices of their own: what plays there obeys the session. Throws when the
    /// session could not be made.
    public var bus: SessionBus {
        get throws { try connection.get().bus }
    }

    /// The engine behind the bus. It renders while a session is active; opening, starting and closing it is the session's business.
    public var engine: AudioEngine {
        get throws { try host.engine.get() }
    }
}
