internal import Platform

/// An event that the engine delivers to its observers. `bus` is the slot of a session's bus
/// (`SessionBus.slot`).
public enum EngineEvent: Equatable, Sendable {
    /// An event of the driver.
    case driver(DriverEvent)
    /// A grant, by which the arbiter controls a session, took effect in the rendered sound; `frame`
    /// is the first frame under it, `serial` its serial number.
    case gateApplied(bus: Int, serial: UInt32, frame: UInt64)
    /// A grant's ramps are complete; a paused session is suspended from `frame` on.
    case gateSettled(bus: Int, serial: UInt32, frame: UInt64)
    /// The last voice on a session's bus and its mixer has ended. Other voices may have started
    /// since (`AudioBus.hasPlayingVoices`).
    case busEnded(bus: Int)
    /// A capture (`AudioEngine.startCapture`) ended early: its file could not be written, or the
    /// sample rate or channel count of its output changed.
    case captureFailed(AudioFileError)
}

/// A registered observer; releasing it, or calling `cancel`, ends the observation.
public final class EngineObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Ends the observation. A call that is in progress may still finish.
    public func cancel() { onCancel() }
}

/// The registered observers, called in the order of their registration.
final class EngineObservers: Sendable {
    private struct Entries {
        var handlers: [(id: Int, handler: @Sendable (EngineEvent) -> Void)] = []
        var nextID = 0
    }
    private let entries = Mutex(Entries())

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

    func deliver(_ event: EngineEvent) {
        for (_, handler) in entries.withLock({ $0.handlers }) { handler(event) }
    }
}
