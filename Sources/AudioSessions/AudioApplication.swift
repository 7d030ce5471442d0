internal import AudioRendering
public import Foundation
internal import SessionArbiter
internal import SessionPolicy

/// What all sessions of an app share: whether it may record, and a mute for all its inputs (group PERM).
///
/// `AudioApplication.shared` is this process; every `AudioSessionHost` has its own. Calls are safe from any thread.
public final class AudioApplication: NSObject, Sendable {
    /// What the user said to the app's wish to record. Raw values are those of iOS.
    public enum RecordPermission: Int, Hashable, Sendable, CaseIterable {
        case undetermined = 0x756e_6474
        case denied = 0x6465_6e79
        case granted = 0x6772_6e74
    }

    /// The app muted or unmuted its inputs while one was active; `muteStateKey` says which (PERM-4).
    public static let inputMuteStateChangeNotification = NSNotification.Name(
        "AVAudioApplicationInputMuteStateChangeNotification")
    /// Key of the new state, a Bool, in `inputMuteStateChangeNotification`.
    public static let muteStateKey = "AVAudioApplicationMuteStateKey"

    /// This process.
    public static var shared: AudioApplication { AudioSessionHost.shared.application }

    private struct State {
        weak var host: AudioSessionHost?
        var muteHandler: (@Sendable (Bool) -> Bool)?
        var lastToldDecision: UInt64 = 0
    }
    private let state = Locked(State())

    func bind(to host: AudioSessionHost) { state.withLock { $0.host = host } }

    private var host: AudioSessionHost? { state.withLock { $0.host } }
    private var known: AppState? { host.map { $0.arbiter.application($0.app) } }

    /// Whether the app may hear its inputs; until it is granted they are silent (keeps PERM-1).
    public var recordPermission: RecordPermission {
        known.map { RecordPermission($0.recordPermission) } ?? .undetermined
    }

    /// Asks the user, once: later calls are answered at once, from what was said (keeps PERM-2). `response` comes on a thread of the library's.
    public func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
        guard let host else { return response(false) }
        host.permission.ask(host, response)
    }

    /// The same, of this process.
    public static func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
        shared.requestRecordPermission(completionHandler: response)
    }

    /// The same, to be awaited.
    public static func requestRecordPermission() async -> Bool {
        await withCheckedContinuation { continuation in
            shared.requestRecordPermission { continuation.resume(returning: $0) }
        }
    }

    /// Whether every input of the app is zeros by `setInputMuted`.
    public var isInputMuted: Bool { known?.isInputMuted ?? false }

    /// Gives zeros to every input of the app, or lets them be heard again; interrupts nobody, and holds for inputs that come later
    /// (keeps PERM-4). Throws when the handler set below refuses; then nothing has changed.
    public func setInputMuted(_ muted: Bool) throws {
        let (host, handler) = state.withLock { ($0.host, $0.muteHandler) }
        guard let host else {
            throw AudioSessionError(
                .expiredSession, "Inputs were to be muted, but the app's host is gone; use that of a living session.")
        }
        if let handler, !handler(muted) {
            throw AudioSessionError(
                .unspecified, rule: "PERM-4",
                "Inputs were to be \(muted ? "muted" : "unmuted"), but the app's own handler refused; nothing has changed."
            )
        }
        try host.submit(.setInputMuted(host.app, muted))
    }

    /// Has `handler` called before the inputs are muted or unmuted; it returns whether it may be. Nil takes it away.
    public func setInputMuteStateChangeHandler(_ handler: (@Sendable (Bool) -> Bool)?) throws {
        state.withLock { $0.muteHandler = handler }
    }

    /// Told to each session of the app; posted once.
    func tellInputMute(_ isMuted: Bool, decision: UInt64) {
        let isNew = state.withLock { state in
            defer { state.lastToldDecision = decision }
            return state.lastToldDecision != decision
        }
        guard isNew else { return }
        NotificationCenter.default.post(
            name: Self.inputMuteStateChangeNotification, object: self,
            userInfo: [Self.muteStateKey: NSNumber(value: isMuted)])
    }
}

extension AudioApplication.RecordPermission {
    init(_ permission: SessionPolicy.RecordPermission) {
        self =
            switch permission {
            case .undetermined: .undetermined
            case .denied: .denied
            case .granted: .granted
            }
    }
}

/// Who answers for the user, and the microphone's switch: for a shell's integration, tests and tools.
extension AudioSessionHost {
    /// Has `prompt` ask the user, the first time that the app wants to record. It calls `answer` once, on any thread, when the user has
    /// answered. Without a prompt the answer is yes: a desktop lets every program read its microphone.
    public func setRecordPermissionPrompt(
        _ prompt: @escaping @Sendable (_ answer: @escaping @Sendable (Bool) -> Void) -> Void
    ) { permission.setPrompt(prompt) }

    /// Answers for the user, or takes an answer back: `undetermined` has the next request ask again (keeps PERM-2).
    public func setRecordPermission(_ permission: AudioApplication.RecordPermission) {
        let value: SessionPolicy.RecordPermission =
            switch permission {
            case .undetermined: .undetermined
            case .denied: .denied
            case .granted: .granted
            }
        self.permission.set(value, self)
    }

    /// Mutes or unmutes the microphone as its hardware switch does (keeps INT-10).
    public func setMicrophoneMuted(_ isMuted: Bool) throws { try submit(.setMicrophoneMuted(isMuted)) }
}
