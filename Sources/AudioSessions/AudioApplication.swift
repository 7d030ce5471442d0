internal import AudioRendering
public import AudioSessionTypes
public import Foundation
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// State that all sessions of an app share: its record permission, and a mute for all its inputs
/// (group PERM).
///
/// `AudioApplication.shared` is this process; every `AudioSessionHost` has its own application.
/// Calls are safe from any thread.
public final class AudioApplication: NSObject, Sendable {
    /// The user's answer to the app's request to record. Raw values are those of iOS.
    public typealias RecordPermission = AudioSessionTypes.RecordPermission

    /// Posted when the app mutes or unmutes its inputs while a session with an input category is
    /// active; `muteStateKey` holds the new state (PERM-4).
    public static let inputMuteStateChangeNotification = NSNotification.Name(
        "AVAudioApplicationInputMuteStateChangeNotification")
    /// The key of the new state, a Bool, in `inputMuteStateChangeNotification`.
    public static let muteStateKey = "AVAudioApplicationMuteStateKey"

    private struct State {
        weak var permission: RecordPermissionPrompter?
        var muteHandler: (@Sendable (Bool) -> Bool)?
        var lastNotifiedDecision: UInt64 = 0
    }
    private let state = Mutex(State())

    /// Connects the object to the app at the arbiter, which lives as long as the app's host.
    func bind(to permission: RecordPermissionPrompter) { state.withLock { $0.permission = permission } }

    private var permission: RecordPermissionPrompter? { state.withLock { $0.permission } }
    /// The arbiter's state of this app.
    private var appState: AppState? { permission?.app.state }

    /// Whether the app may record. Until the user has granted permission, its inputs deliver
    /// silence (keeps PERM-1).
    public var recordPermission: RecordPermission { appState?.recordPermission ?? .undetermined }

    /// Asks the user for permission to record, unless the user has already answered; then the
    /// library delivers the stored answer (keeps PERM-2).
    ///
    /// The library calls `response` on one of its own threads. If the app's host no longer exists,
    /// it calls `response(false)` before this method returns.
    public func requestRecordPermission(completionHandler response: @escaping @Sendable (Bool) -> Void) {
        guard let permission else { return response(false) }
        permission.ask(response)
    }

    /// Whether `setInputMuted` has muted every input of the app.
    public var isInputMuted: Bool { appState?.isInputMuted ?? false }

    /// Mutes or unmutes every input of the app. Muted inputs deliver zeros. The call interrupts no
    /// session, and it also applies to inputs that are created later (keeps PERM-4).
    ///
    /// Throws, and changes nothing, when the handler set by `setInputMuteStateChangeHandler`
    /// refuses or the app's host no longer exists.
    public func setInputMuted(_ muted: Bool) throws {
        let (app, handler) = state.withLock { ($0.permission?.app, $0.muteHandler) }
        guard let app else {
            throw AudioSessionError(
                .expiredSession, "Cannot mute inputs: the app's host no longer exists. Use the host of a session.")
        }
        if let handler, !handler(muted) {
            throw AudioSessionError(
                .unspecified, rule: "PERM-4",
                "Cannot \(muted ? "mute" : "unmute") inputs: the app's own handler refused. Nothing has changed."
            )
        }
        try app.submit(.setInputMuted(app.id, muted))
    }

    /// Sets the handler that the library calls before it mutes or unmutes the inputs. The handler
    /// receives the requested state and returns whether to allow it. Nil removes the handler.
    public func setInputMuteStateChangeHandler(_ handler: (@Sendable (Bool) -> Bool)?) throws {
        state.withLock { $0.muteHandler = handler }
    }

    /// Posts the notification, unless the previous notice was of the same decision: the arbiter
    /// notifies each active session of the app whose category has an input. Compares only the
    /// numbers of the decisions, which a restarted arbiter counts from 1: its first notice is not
    /// posted if its number happens to equal that of the previous one.
    func deliverInputMute(_ isMuted: Bool, decision: UInt64, by poster: NotificationPoster) {
        let isNew = state.withLock { state in
            defer { state.lastNotifiedDecision = decision }
            return state.lastNotifiedDecision != decision
        }
        guard isNew else { return }
        poster.post { [weak self] in
            guard let self else { return }
            NotificationCenter.default.post(
                name: Self.inputMuteStateChangeNotification, object: self,
                userInfo: [Self.muteStateKey: NSNumber(value: isMuted)])
        }
    }
}
