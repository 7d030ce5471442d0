/// What the engine tells its observers.
public enum EngineEvent: Equatable, Sendable {
    /// From the driver: rate, period, xruns, the server lost and back.
    case driver(DriverEvent)
    /// A verdict reached the sound: the first frame under it, and its serial.
    case gateApplied(bus: Int, serial: UInt32, frame: UInt64)
    /// A verdict's ramps are over; paused sessions stand still from `frame` on.
    case gateSettled(bus: Int, serial: UInt32, frame: UInt64)
    /// The last voice on a session's bus and its desk has ended; more may have begun since (`AudioBus.hasPlayingVoices`).
    case busEnded(bus: Int)
    /// A capture could not be written further.
    case captureFailed(AudioFileError)
}

/// Keeps an observer in place; letting go of it, or `cancel`, ends the observation.
public final class EngineObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Ends the observation; a call that is under way may still finish.
    public func cancel() { onCancel() }
}

/// Who is told of engine events, in the order of their registration.
final class EngineObservers: Sendable {
    private struct Entries {
        var handlers: [(id: Int, handler: @Sendable (EngineEvent) -> Void)] = []
        var nextID = 0
    }
    private let entries = Locked(Entries())

    func add(_ handler: @escaping @Sendable (EngineEvent) -> Void) -> EngineObservation {
        let id = entries.withLock { entries in
            entries.nextID += 1
            entries.handlers.append((entries.nextID, handler))
            return entries.nextID
        }
        return EngineObservation { [weak self] in
            self?.entries.withLock { entries in entries.handlers.removeAll { $0.id == id } }
        }
    }

    func tell(_ event: EngineEvent) {
        for (_, handler) in entries.withLock({ $0.handlers }) { handler(event) }
    }
}
