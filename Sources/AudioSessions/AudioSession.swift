internal import AudioRendering
public import Foundation
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// An audio session: declares what an app's sound is for, and notifies the app when other sound
/// interrupts, ducks or reroutes it.
///
/// Names and values are those of AVAudioSession, so that source code written for iOS compiles
/// (module `AVFAudio`). Calls are synchronous and safe from any thread, but not from the render
/// thread. A refused call throws `AudioSessionError` and changes nothing. Notifications are posted
/// on the main queue if the program runs it, except route changes, and otherwise on a library
/// thread (`AudioSessionHost.notificationThread`); notifications of one thread are in one order for
/// all sessions, and so are events (ACT-11).
///
/// Unchecked `Sendable`: `NSObject` is not `Sendable`, and all mutable state is behind the locks of
/// the parts, here or in the arbiter.
open class AudioSession: NSObject, @unchecked Sendable {
    /// What this session shares with the other sessions of its process.
    public let host: AudioSessionHost
    // The parts of a session; each uses only those above it, and none knows the session.
    let registered: RegisteredSession
    let participants: SessionParticipants
    let inputs: SessionInputs
    let delivery: SessionEvents
    let activation: ActivationController
    let limits: SessionLimits
    /// Receives remote commands and publishes what the session plays (REMOTE-1…3).
    public let remoteControl: AudioSessionRemoteControl
    let isMultichannel = Mutex(false)
    let companionStorage = Mutex<(any AnyObject & Sendable)?>(nil)
    let appleRequests = Mutex(AppleHardwareRequests())

    /// The app's session: soloAmbient and inactive until the app changes it (CAT-1).
    public static let shared = AudioSession(on: .shared)

    /// Returns the app's session: `shared` under its iOS name.
    public class func sharedInstance() -> AudioSession { shared }

    /// Creates an additional session, such as a game's voice chat alongside its music. The arbiter
    /// treats it like any other.
    ///
    /// Throws `resourceNotAvailable` if memory cannot be allocated, the engine has no free bus, or
    /// the arbiter cannot be reached, and the arbiter's refusal if it accepts no further session.
    public convenience init(host: AudioSessionHost) throws {
        self.init(on: host)
        _ = try registered.connection.get()
    }

    /// Creates an additional session of the shared host, as `AVAudioSession()` does in tests of iOS
    /// apps. If that fails, the session's throwing calls throw the error. Prefer `init(host:)`,
    /// which throws at once, or `shared`.
    public convenience override init() { self.init(on: .shared) }

    /// Creates a session. If that fails, the session's throwing calls throw the error.
    init(on host: AudioSessionHost) {
        let receiver = SessionReceiver { [weak host] in host?.reportAgainAsync() }
        let connection = Result { () throws(AudioSessionError) in
            try SessionConnection(at: host.app, in: try host.engine.get(), receiver)
        }
        self.host = host
        registered = RegisteredSession(connection, of: host.app)
        participants = SessionParticipants(of: registered)
        inputs = SessionInputs(of: registered, participants)
        delivery = SessionEvents()
        activation = ActivationController(of: registered, participants, on: host)
        limits = SessionLimits(of: registered, participants, activation, delivery, clock: host.clock)
        remoteControl = AudioSessionRemoteControl(of: registered)
        super.init()
        receiver.setHandler { [weak self] in self?.receive($0) }
        host.add(self)
    }

    /// Unregisters the session; the arbiter notifies the sessions that waited for it (ACT-12).
    deinit {
        guard registered.id != nil else { return }
        try? registered.submit { .unregister($0) }
        host.applyHardwareRequestsAsync()
        host.idleSuspension?.update()
    }

    /// The arbiter's id for this session, unique among all sessions of the arbiter; 0 if the
    /// session could not be created.
    public var id: UInt64 { registered.id?.rawValue ?? 0 }

    /// An object that a higher module attaches to the session, for as long as the session lives.
    package var companion: (any AnyObject & Sendable)? {
        get { companionStorage.withLock { $0 } }
        set { companionStorage.withLock { $0 = newValue } }
    }

    var status: SessionStatus? { registered.status }
    var configuration: Configuration { registered.configuration }

    /// Submits an action to the arbiter. Throws its refusal, which `lastRefusal` then holds.
    func submit(_ action: (SessionID) -> PolicyAction) throws { try registered.submit(action) }

    /// Makes a request. If it throws an `AudioSessionError`, stores that as the last refusal.
    package func request<Value>(_ body: () throws -> Value) throws -> Value { try registered.request(body) }
}
