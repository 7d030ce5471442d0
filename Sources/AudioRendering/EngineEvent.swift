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
    /// A session's bus began or ceased to have signal (`SessionBus.hasSignal`) or to be audible
    /// (`SessionBus.isAudible`).
    case signalChanged(bus: Int)
    /// A capture (`AudioEngine.startCapture`) ended early: its file could not be written, or the
    /// sample rate or channel count of its output changed.
    case captureFailed(AudioFileError)
    /// The transport started or stopped, its position jumped, or its tempo, meter, role or leader
    /// changed. Of several changes in a short time, only the last one is reported. Tempos that
    /// differ by at most 0.005 beats per minute count as equal.
    case transportChanged(TransportPosition)
}

/// A registered observer; releasing it, or calling `cancel`, ends the observation.
public final class EngineObservation: Sendable {
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

    deinit { onCancel() }

    /// Ends the observation. A call that is in progress may still finish.
    public func cancel() { onCancel() }
}
