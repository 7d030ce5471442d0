internal import AudioRendering
public import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// An audio session: what an app says of its sound, and what the system says back.
///
/// Names and values are AVAudioSession's, so that source written for iOS compiles (module `AVFAudio`). Calls are synchronous and safe
/// from any thread; what is refused throws `AudioSessionError` and changes nothing. Notifications and events come on a thread of the
/// library's, in one order for all sessions (ACT-11).
///
/// Unchecked `Sendable`: `NSObject` makes no promise; all that changes is behind locks, here or in the arbiter.
open class AudioSession: NSObject, @unchecked Sendable {
    /// What this session shares with the others of its process.
    public let host: AudioSessionHost
    let connection: Result<SessionConnection, AudioSessionError>
    let participants = Locked<[WeakParticipant]>([])
    /// Whose turn it is to start or stop an input: what the arbiter is told and what the input says of itself agree.
    let inputTurn = Locked(())
    /// Whose turn it is to have the engine follow the mode: who read it last applies it last.
    let modeTurn = Locked(())
    let streams = EventStreams()
    let inputGainFactor = Locked<Float>(1)
    let isMultichannel = Locked(false)
    let mail = MainActorMail()
    let told = Locked(ToldActivity())
    let turns = ActivationQueue()
    let scopes = Locked(ActiveScopes())
    let limits = Locked(SessionLimits())
    let refusal = Locked<KeptRefusal?>(nil)
    let companionKept = Locked<(any AnyObject & Sendable)?>(nil)

    /// The app's session: soloAmbient and inactive until the app says otherwise (CAT-1).
    public static let shared = AudioSession(on: .shared)

    /// The app's session; `shared` under the name that iOS has for it.
    public class func sharedInstance() -> AudioSession { shared }

    /// A further session, such as a game's voice chat beside its music. Arbitrated like any other.
    ///
    /// Throws `resourceNotAvailable` when memory or the engine's buses are short.
    public convenience init(host: AudioSessionHost) throws {
        self.init(on: host)
        _ = try connection.get()
    }

    /// A session whose calls throw when it could not be made.
    init(on host: AudioSessionHost) {
        let receiver = SessionReceiver()
        self.host = host
        connection = SessionConnection.make(on: host, receiver)
        super.init()
        receiver.set(self)
        host.add(self)
    }

    /// A session that is let go leaves with notice (ACT-12).
    deinit {
        guard case .success(let connection) = connection else { return }
        try? host.arbiter.submit(.unregister(connection.id))
        host.settleHardwareLater()
    }

    /// The arbiter's number for this session; 0 when it could not be made.
    public var id: UInt64 { (try? connection.get().id.rawValue) ?? 0 }

    /// Asks the arbiter; throws its refusal.
    func submit(_ action: (SessionID) -> PolicyAction) throws {
        try request {
            let connection = try connection.get()
            do throws(ArbiterError) {
                try host.arbiter.submit(action(connection.id))
            } catch {
                throw AudioSessionError(error)
            }
        }
        forgetRefusal()
    }

    /// What a module above keeps with the session, for as long as the session lives.
    package var companion: (any AnyObject & Sendable)? {
        get { companionKept.withLock { $0 } }
        set { companionKept.withLock { $0 = newValue } }
    }

    /// What the arbiter says of it now.
    var status: SessionStatus? {
        guard case .success(let connection) = connection else { return nil }
        return host.arbiter.status(of: connection.id)
    }

    var configuration: Configuration { status?.session.configuration ?? Configuration() }
}
