internal import AudioRendering
internal import Dispatch
internal import SessionArbiter
internal import SessionPolicy

/// A question does not keep its host alive.
private struct WeakHost: @unchecked Sendable {
    // A weak reference to a Sendable object, never changed.
    weak var host: AudioSessionHost?
}

/// Asks the user whether the app may record: once, whoever asks and however often (PERM-2, PERM-3).
final class PermissionDesk: Sendable {
    typealias Prompt = @Sendable (_ answer: @escaping @Sendable (Bool) -> Void) -> Void

    private struct State {
        var prompt: Prompt
        var isAsking = false
        var waiting: [@Sendable (Bool) -> Void] = []
    }
    private let state: Locked<State>
    private let store: KeptPermission?
    /// Where answers are given: never on the thread that asks.
    private let answers = DispatchQueue(label: "audio-session.permission")

    init(store: KeptPermission?) {
        self.store = store
        // Nobody to ask: a desktop lets every program read its microphone.
        state = Locked(State(prompt: { answer in answer(true) }))
    }

    func setPrompt(_ prompt: @escaping Prompt) { state.withLock { $0.prompt = prompt } }

    /// Answers at once if there is an answer; else asks, unless that is going on already.
    func ask(_ host: AudioSessionHost, _ response: (@Sendable (Bool) -> Void)? = nil) {
        let permission = host.arbiter.application(host.app).recordPermission
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
        let asked = WeakHost(host: host)
        answers.async {
            prompt { isGranted in asked.host?.permission.take(isGranted, asked.host) }
        }
    }

    private func take(_ isGranted: Bool, _ host: AudioSessionHost?) {
        // A second answer to one question counts for nothing.
        guard state.withLock({ $0.isAsking }) else { return }
        set(isGranted ? .granted : .denied, host)
    }

    /// An answer, or its revocation, by whoever may give it; those who wait for one get it.
    func set(_ permission: RecordPermission, _ host: AudioSessionHost?) {
        if let host { try? host.submit(.setRecordPermission(host.app, permission)) }
        store?.keep(permission)
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

    /// Returns when every answer so far has been given. Not from within one.
    func drain() {
        // A question that is being asked queues its answers behind the first.
        answers.sync {}
        answers.sync {}
    }
}
