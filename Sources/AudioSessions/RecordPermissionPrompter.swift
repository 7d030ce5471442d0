internal import AudioRendering
internal import Dispatch
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// Asks the user whether the app may record. However many callers request the permission, the user
/// is asked once (PERM-2, PERM-3).
final class RecordPermissionPrompter: Sendable {
    typealias Prompt = @Sendable (_ answer: @escaping @Sendable (Bool) -> Void) -> Void

    private struct State {
        var prompt: Prompt
        var isAsking = false
        var waiting: [@Sendable (Bool) -> Void] = []
    }
    let app: RegisteredApp
    private let state: Mutex<State>
    private let store: StoredPermission?
    /// The queue that delivers answers, which is never the thread that asks.
    private let answers = DispatchQueue(label: "audio-session.permission")

    init(of app: RegisteredApp, store: StoredPermission?) {
        self.app = app
        self.store = store
        // The default when there is no prompt: a desktop lets every program read its microphone.
        state = Mutex(State(prompt: { answer in answer(true) }))
    }

    func setPrompt(_ prompt: @escaping Prompt) { state.withLock { $0.prompt = prompt } }

    /// Delivers the stored answer if there is one; otherwise asks the user, unless a prompt is
    /// already in progress.
    func ask(_ response: (@Sendable (Bool) -> Void)? = nil) {
        let permission = app.state.recordPermission
        guard permission == .undetermined else {
            if let response { answers.async { response(permission == .granted) } }
            return
        }
        let prompt: Prompt? = state.withLock { state in
            if let response { state.waiting.append(response) }
            defer { state.isAsking = true }
            return state.isAsking ? nil : state.prompt
        }
        guard let prompt else { return }
        // A pending prompt does not keep the app's host alive.
        answers.async { [weak self] in
            prompt { [weak self] isGranted in self?.receiveAnswer(isGranted) }
        }
    }

    private func receiveAnswer(_ isGranted: Bool) {
        // A second answer to the same prompt is ignored.
        guard state.withLock({ $0.isAsking }) else { return }
        set(isGranted ? .granted : .denied)
    }

    /// Sets or revokes the answer, and delivers it to the callers that wait for one.
    func set(_ permission: RecordPermission) {
        try? app.submit(.setRecordPermission(app.id, permission))
        // An arbiter that this process has joined stores the answer itself.
        if !app.arbiter.storesPermissions { store?.save(permission) }
        guard permission != .undetermined else { return }
        let waiting = state.withLock { state in
            defer {
                state.waiting = []
                state.isAsking = false
            }
            return state.waiting
        }
        for response in waiting { answers.async { response(permission == .granted) } }
    }

    /// Returns when every answer so far has been delivered. Do not call from within one.
    func drain() {
        // A prompt that runs in the first block enqueues its answers after it; the second one waits
        // for those.
        answers.sync {}
        answers.sync {}
    }
}
