public import AudioSessionTypes
internal import Dispatch
internal import Platform
internal import SessionArbiter
internal import SessionPolicy

/// Remote control of a session: receives the commands of the desktop's media control, of keys on
/// keyboards and headsets, and of programs, and publishes what the session plays (group REMOTE).
///
/// The arbiter sends commands to the now-playing app: the one that handles commands and was the
/// last to start playing in a session that does not mix with others. `PlayerRemoteControl` does all
/// of this for a player. Any thread.
public final class AudioSessionRemoteControl: Sendable {
    public typealias Handler = @Sendable (RemoteCommand) -> Void

    private struct State {
        var handlers: [RemoteCommand.Kind: (owner: Owner, handler: Handler)] = [:]
        var nowPlaying: NowPlayingRecord?
        /// Who has published it.
        var publisher = Owner.app
    }

    /// Who has set a handler or published something: another owner does not remove it.
    package enum Owner: Hashable, Sendable {
        case app
        case player(ObjectIdentifier)
    }

    private let session: RegisteredSession
    private let state = Mutex(State())
    /// Makes what the arbiter receives last agree with the handlers and the information.
    private let report = Mutex(())

    init(of session: RegisteredSession) { self.session = session }

    /// Sets the handler of some kinds of commands, or with nil removes it. A command without a
    /// handler is reported to its sender as unsupported (keeps REMOTE-1).
    ///
    /// An app that handles play and pause also receives togglePlayPause, as one of the two. The
    /// handler is called where notifications are posted: on the main queue if the program runs it,
    /// otherwise on a library thread; it must be short. After play, the session counts as in the
    /// foreground for 10 s (ACT-16).
    ///
    /// Does not wait for the arbiter; the next one learns of the handlers too. Throws only the
    /// error that prevented the session's creation.
    public func setHandler(for kinds: Set<RemoteCommand.Kind>, _ handler: Handler?) throws {
        try change { state in
            for kind in kinds { state.handlers[kind] = handler.map { (.app, $0) } }
        }
    }

    /// Sets the handler for an owner.
    package func setHandler(for kinds: Set<RemoteCommand.Kind>, of owner: Owner, _ handler: @escaping Handler) throws {
        try change { state in
            for kind in kinds { state.handlers[kind] = (owner, handler) }
        }
    }

    /// Removes the handlers of an owner, except those that were replaced, and what it published.
    package func removeAll(of owner: Owner) {
        try? change { state in state.handlers = state.handlers.filter { $1.owner != owner } }
        try? publish(nil, by: owner) { $0.publisher == owner }
    }

    private func change(_ body: (inout State) -> Void) throws {
        try report.withLock { _ in
            let handled = state.withLock { state in
                body(&state)
                return Set(state.handlers.keys)
            }
            try session.post { .setRemoteCommands($0, handled) }
        }
    }

    /// The kinds of commands that have a handler.
    public var handledCommands: Set<RemoteCommand.Kind> { state.withLock { Set($0.handlers.keys) } }

    /// What the session published last; nil if nothing.
    public var nowPlaying: NowPlayingInfo? { state.withLock { $0.nowPlaying?.info } }

    /// Publishes what the session plays, from now on; nil: nothing (keeps REMOTE-3).
    ///
    /// Set it when something else plays, when playback starts, pauses or stops, and when the
    /// position jumps; not to report the progress of playback. Does not wait for the arbiter.
    /// Throws badParam for a value that is out of range, and the error that prevented the session's
    /// creation.
    public func setNowPlaying(_ info: NowPlayingInfo?) throws {
        if let refusal = info?.refusal {
            try session.request { throw AudioSessionError(ArbiterError.refused(refusal)) }
        }
        try publish(info, by: .app) { _ in true }
    }

    /// Publishes valid information for an owner.
    package func setNowPlaying(_ info: NowPlayingInfo, of owner: Owner) { try? publish(info, by: owner) { _ in true } }

    private func publish(_ info: NowPlayingInfo?, by owner: Owner, if isAllowed: (State) -> Bool) throws {
        try report.withLock { _ in
            let record = info.map { NowPlayingRecord(info: $0, time: DispatchTime.now().uptimeNanoseconds) }
            let isNew = state.withLock { state in
                guard isAllowed(state) else { return false }
                (state.nowPlaying, state.publisher) = (record, owner)
                return true
            }
            if isNew { try session.post { .setNowPlaying($0, info) } }
        }
    }

    /// The handler of a kind of commands; nil if the app has removed it since the arbiter sent one.
    func handler(of kind: RemoteCommand.Kind) -> Handler? { state.withLock { $0.handlers[kind]?.handler } }

    /// Reports to the arbiter, which may be a new one, what it does not know.
    func reportAgain() {
        report.withLock { _ in
            guard let known = session.status?.session else { return }
            var (handled, record) = state.withLock { (Set($0.handlers.keys), $0.nowPlaying) }
            if known.remoteCommands != handled { try? session.post { .setRemoteCommands($0, handled) } }
            // The arbiter advances the position itself.
            var reported = known.nowPlaying?.info
            if let position = record?.info.position { reported?.position = position }
            guard reported != record?.info else { return }
            if known.isActive { record?.advance(to: DispatchTime.now().uptimeNanoseconds) }
            try? session.post { .setNowPlaying($0, record?.info) }
        }
    }
}
