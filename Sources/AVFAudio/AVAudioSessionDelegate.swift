public import Foundation

/// What was told of interruptions before there were notifications. Everything is optional.
@available(*, deprecated, message: "observe AVAudioSession's notifications")
public protocol AVAudioSessionDelegate: NSObjectProtocol {
    /// The session was interrupted.
    func beginInterruption()
    /// The interruption is over; see `AVAudioSessionInterruptionFlags_ShouldResume`. Left out, `endInterruption()` is called.
    func endInterruption(withFlags flags: Int)
    /// The interruption is over.
    func endInterruption()
    /// An input has come, or the last one is gone.
    func inputIsAvailableChanged(_ isInputAvailable: Bool)
}

@available(*, deprecated, message: "observe AVAudioSession's notifications")
extension AVAudioSessionDelegate {
    public func beginInterruption() {}
    public func endInterruption(withFlags flags: Int) { endInterruption() }
    public func endInterruption() {}
    public func inputIsAvailableChanged(_ isInputAvailable: Bool) {}
}

extension AudioSession {
    /// Told, on a thread of the library's, what the notifications tell; not kept alive.
    @available(*, deprecated, message: "observe AVAudioSession's notifications")
    public weak var delegate: (any AVAudioSessionDelegate)? {
        get { (companion as? DelegateRelay)?.delegate }
        set {
            companion = newValue.map { DelegateRelay(to: $0, from: self) }
        }
    }
}

/// From a session's notifications to its delegate.
///
/// Unchecked `Sendable`: set up once; the centre tells on one thread at a time, and what changes is behind a lock.
@available(*, deprecated, message: "serves AVAudioSessionDelegate")
private final class DelegateRelay: @unchecked Sendable {
    weak var delegate: (any AVAudioSessionDelegate)?
    private var tokens: [any NSObjectProtocol] = []
    private let lock = NSLock()
    /// Nil until a device has been seen: the first one is no change, and is not to be reached for.
    private var hadInput: Bool?

    init(to delegate: any AVAudioSessionDelegate, from session: AudioSession) {
        self.delegate = delegate
        hadInput = session.knownInputIsAvailable
        let center = NotificationCenter.default
        tokens = [
            center.addObserver(forName: AudioSession.interruptionNotification, object: session, queue: nil) {
                [weak self] in self?.tellInterruption($0.userInfo ?? [:])
            },
            center.addObserver(forName: AudioSession.routeChangeNotification, object: session, queue: nil) {
                [weak self] in self?.tellInput(of: $0.object as? AudioSession)
            },
        ]
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    private func tellInterruption(_ info: [AnyHashable: Any]) {
        guard info[AudioSessionInterruptionTypeKey] as? UInt == AudioSession.InterruptionType.ended.rawValue else {
            delegate?.beginInterruption()
            return
        }
        delegate?.endInterruption(withFlags: info[AudioSessionInterruptionOptionKey] as? Int ?? 0)
    }

    private func tellInput(of session: AudioSession?) {
        guard let hasInput = session?.knownInputIsAvailable else { return }
        let isNew = lock.withLock {
            defer { hadInput = hasInput }
            return hadInput.map { $0 != hasInput } ?? false
        }
        if isNew { delegate?.inputIsAvailableChanged(hasInput) }
    }
}
