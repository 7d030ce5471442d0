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
/// thread. A refused call throws `AudioSessionError` and changes nothing. Notifications and events
/// arrive on a library thread, in one order for all sessions (ACT-11).
///
/// Unchecked `Sendable`: `NSObject` is not `Sendable`, and all mutable state is behind locks, here
/// or in the arbiter.
open class AudioSession: NSObject, @unchecked Sendable {
    /// What this session shares with the other sessions of its process.
    public let host: AudioSessionHost
    let connection: Result<SessionConnection, AudioSessionError>
    let participants = Mutex<[WeakParticipant]>([])
    /// Serializes starting and stopping inputs, so that the arbiter and the inputs agree on their
    /// state.
    let inputLock = Mutex(())
    /// Serializes applying the mode to the engine: the last thread to read the mode is the last to
    /// apply it.
    let modeLock = Mutex(())
    let streams = EventStreams()
    let inputGainFactor = Mutex<Float>(1)
    let isMultichannel = Mutex(false)
    let mainActorNotifier = MainActorNotifier()
    let deliveredActivity = Mutex(DeliveredActivity())
    let activationQueue = ActivationQueue()
    let scopes = Mutex(ActiveScopes())
    let limits = Mutex(SessionLimits())
    let refusal = Mutex<StoredRefusal?>(nil)
    let companionStorage = Mutex<(any AnyObject & Sendable)?>(nil)

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
        _ = try connection.get()
    }

    /// Creates a session. If that fails, the session's throwing calls throw the error.
    init(on host: AudioSessionHost) {
        let receiver = SessionReceiver()
        self.host = host
        connection = SessionConnection.make(on: host, receiver)
        super.init()
        receiver.set(self)
        host.add(self)
    }

    /// Unregisters the session; the arbiter notifies the sessions that waited for it (ACT-12).
    deinit {
        guard case .success(let connection) = connection else { return }
        try? host.arbiter.submit(.unregister(connection.id))
        host.applyHardwareRequestsAsync()
    }

    /// The arbiter's id for this session, unique among all sessions of the arbiter; 0 if the
    /// session could not be created.
    public var id: UInt64 { (try? connection.get().id.rawValue) ?? 0 }

    /// Submits an action to the arbiter. Throws its refusal, which `lastRefusal` then holds.
    func submit(_ action: (SessionID) -> PolicyAction) throws {
        try request {
            let connection = try connection.get()
            do throws(ArbiterError) {
                try host.arbiter.submit(action(connection.id))
            } catch {
                throw AudioSessionError(error)
            }
        }
        discardOutdatedRefusal()
    }

    /// An object that a higher module attaches to the session, for as long as the session lives.
    package var companion: (any AnyObject & Sendable)? {
        get { companionStorage.withLock { $0 } }
        set { companionStorage.withLock { $0 = newValue } }
    }

    /// The arbiter's current status of the session.
    var status: SessionStatus? {
        guard case .success(let connection) = connection else { return nil }
        return host.arbiter.status(of: connection.id)
    }

    var configuration: Configuration { status?.session.configuration ?? Configuration() }
}
