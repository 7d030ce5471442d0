public import AudioRendering
internal import SessionArbiter
internal import SessionPolicy

/// A session's ties: its number with the arbiter, its bus in the engine, which obeys its gate.
struct SessionConnection: Sendable {
    let id: SessionID
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
                receiver.set(bus)
                return SessionConnection(id: registration.id, bus: bus)
            } catch {
                try? host.arbiter.submit(.unregister(registration.id))
                throw AudioSessionError(error)
            }
        }
    }
}

/// Passes notices to a session that may be gone, and new gates to its bus: registration comes before both exist.
final class SessionReceiver: SessionObserver {
    private struct Target {
        weak var session: AudioSession?
        weak var bus: SessionBus?
        /// One that the bus is still to follow.
        var gate: SessionGate?
    }
    private let target = Locked(Target())
    private let following = Locked(())

    func set(_ session: AudioSession) { target.withLock { $0.session = session } }

    func set(_ bus: SessionBus) {
        target.withLock { $0.bus = bus }
        followGate()
    }

    func receive(_ notice: SessionNotice) {
        followGate()
        let session = target.withLock { $0.session }
        session?.receive(notice)
    }

    func replaceGate(_ gate: SessionGate) {
        target.withLock { $0.gate = gate }
        followGate()
    }

    /// Without memory, or room for a command, the last verdict holds, and the next notice tries again.
    private func followGate() {
        // One after the other: the newest page comes last.
        following.withLock { _ in follow() }
    }

    private func follow() {
        let (bus, gate) = target.withLock { ($0.bus, $0.gate) }
        guard let bus, let gate, (try? bus.replaceGate(gate.page, owner: gate)) != nil else { return }
        target.withLock { target in
            if target.gate === gate { target.gate = nil }
        }
    }
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
