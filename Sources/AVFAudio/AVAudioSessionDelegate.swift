public import AudioSessions
public import Foundation

/// The callbacks that Apple's API had before it had notifications. All methods are optional.
@available(*, deprecated, message: "observe AVAudioSession's notifications")
public protocol AVAudioSessionDelegate: NSObjectProtocol {
    /// The session was interrupted.
    func beginInterruption()
    /// The interruption has ended; see `AVAudioSessionInterruptionFlags_ShouldResume`. The default
    /// implementation calls `endInterruption()`.
    func endInterruption(withFlags flags: Int)
    /// The interruption has ended.
    func endInterruption()
    /// An input has become available, or the last one has been removed.
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
    /// The delegate, which the session does not retain. The session calls it where it posts
    /// notifications (`AudioSessionHost.notificationThread`), on the main queue if the program runs
    /// it: when it posts an interruption, and when a route or input change that it posts has made
    /// the first input available or removed the last one.
    @available(*, deprecated, message: "observe AVAudioSession's notifications")
    public weak var delegate: (any AVAudioSessionDelegate)? {
        get { (companion as? DelegateRelay)?.delegate }
        set {
            companion = newValue.map { DelegateRelay(to: $0, from: self) }
        }
    }
}

/// Forwards a session's notifications to its delegate.
///
/// Unchecked `Sendable`: set up once; the notification center calls it on one thread at a time, and
/// a lock protects the mutable state.
@available(*, deprecated, message: "serves AVAudioSessionDelegate")
private final class DelegateRelay: @unchecked Sendable {
    weak var delegate: (any AVAudioSessionDelegate)?
    private var tokens: [any NSObjectProtocol] = []
    private let lock = NSLock()
    /// Nil until a device has been seen: the first device is not a change, and reading this value
    /// must not connect to the server.
    private var hadInput: Bool?

    init(to delegate: any AVAudioSessionDelegate, from session: AudioSession) {
        self.delegate = delegate
        hadInput = session.knownInputIsAvailable
        let center = NotificationCenter.default
        let changes = [AudioSession.routeChangeNotification, AudioSession.availableInputsChangeNotification]
        tokens = [
            center.addObserver(forName: AudioSession.interruptionNotification, object: session, queue: nil) {
                [weak self] in self?.deliverInterruption($0.userInfo ?? [:])
            }
        ]
        tokens += changes.map { name in
            center.addObserver(forName: name, object: session, queue: nil) { [weak self] in
                self?.deliverInput(of: $0.object as? AudioSession)
            }
        }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

    private func deliverInterruption(_ info: [AnyHashable: Any]) {
        guard info[AudioSessionInterruptionTypeKey] as? UInt == AudioSession.InterruptionType.ended.rawValue else {
            delegate?.beginInterruption()
            return
        }
        delegate?.endInterruption(withFlags: info[AudioSessionInterruptionOptionKey] as? Int ?? 0)
    }

    private func deliverInput(of session: AudioSession?) {
        guard let session, let hasInput = session.knownInputIsAvailable else { return }
        let isNew = lock.withLock {
            defer { hadInput = hasInput }
            return hadInput.map { $0 != hasInput } ?? false
        }
        if isNew { session.host.callHandler { [weak self] in self?.delegate?.inputIsAvailableChanged(hasInput) } }
    }
}
