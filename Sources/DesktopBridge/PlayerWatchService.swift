internal import CDesktopBus
internal import Foundation
internal import Platform

/// Serves the connection of a `MediaPlayerWatch` on the thread in `run`.
///
/// Unchecked `Sendable`: `players` is set before the thread starts, and used only by it, except for
/// `desktop_players_wake`; `known` and `calls` are used only by that thread.
final class PlayerWatchService: @unchecked Sendable {
    typealias Completion = @Sendable (Int64?) -> Void

    private struct Call {
        var player: ForeignPlayer.ID
        var call: desktop_players_call_t
        var completed: Completion
    }

    private struct State {
        /// The calls that the thread has not made.
        var queue: [Call] = []
        var isStopped = false
        /// The thread serves no calls any longer.
        var hasEnded = false
    }

    private let receive: @Sendable (ForeignPlayerEvent) -> Void
    private let lost: @Sendable (String) -> Void
    private let state = Mutex(State())
    private var players: OpaquePointer?
    /// The players as they were reported last.
    private var known: [ForeignPlayer.ID: ForeignPlayer] = [:]
    /// The calls without a reply, by number.
    private var calls: [UInt64: Completion] = [:]
    private var lastNumber: UInt64 = 0

    init(
        receive: @escaping @Sendable (ForeignPlayerEvent) -> Void, lost: @escaping @Sendable (String) -> Void
    ) {
        self.receive = receive
        self.lost = lost
    }

    deinit { desktop_players_destroy(players) }

    func open(_ address: String, timeoutSeconds: Double) throws(SystemFailure) {
        var callbacks = callbacks
        players = try SessionBusAddress.open(address, timeoutSeconds: timeoutSeconds) { address, milliseconds, opened in
            desktop_players_open(address, milliseconds, &callbacks, &opened)
        }
    }

    // ---- Any thread -----------------------------------------------------------------------------

    func call(_ player: ForeignPlayer.ID, _ call: desktop_players_call_t, completed: @escaping Completion) {
        let isQueued = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.queue.append(Call(player: player, call: call, completed: completed))
            return true
        }
        if isQueued { desktop_players_wake(players) } else { completed(nil) }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        desktop_players_wake(players)
    }

    // ---- The thread -----------------------------------------------------------------------------

    func run() {
        let reason = serve()
        desktop_players_close(players)
        let (queue, isStopped) = state.withLock { state in
            state.hasEnded = true
            let queue = state.queue
            state.queue = []
            return (queue, state.isStopped)
        }
        for completed in calls.sorted(by: { $0.key < $1.key }).map(\.value) + queue.map(\.completed) { completed(nil) }
        calls = [:]
        if let reason, !isStopped { lost("The connection to the session bus has ended: \(reason).") }
    }

    /// Serves the bus until `stop`, or until the connection has ended; then returns the reason.
    private func serve() -> String? {
        while true {
            let (queue, isStopped) = state.withLock { state in
                let queue = state.queue
                if !state.isStopped { state.queue = [] }
                return (queue, state.isStopped)
            }
            if isStopped { return nil }
            queue.forEach(make)
            let result = desktop_players_wait(players)
            if result < 0 { return systemErrorText(-result) }
        }
    }

    private func make(_ call: Call) {
        lastNumber += 1
        calls[lastNumber] = call.completed
        if desktop_players_call(players, call.player.busText, call.call, lastNumber) < 0 {
            complete(lastNumber, with: nil)
        }
    }

    fileprivate func complete(_ number: UInt64, with position: Int64?) { calls.removeValue(forKey: number)?(position) }

    fileprivate func deliver(_ event: ForeignPlayerEvent) {
        switch event {
        case .changed(let player):
            // C also reports values that this type does not show.
            guard known.updateValue(player, forKey: player.id) != player else { return }
        case .vanished(let id): known[id] = nil
        case .synced: break
        }
        guard !state.withLock({ $0.isStopped }) else { return }
        receive(event)
    }

    /// What the connection calls. Valid as long as this service exists.
    private var callbacks: desktop_players_callbacks_t {
        desktop_players_callbacks_t(
            context: Unmanaged.passUnretained(self).toOpaque(),
            changed: { context, player in
                guard let player else { return }
                PlayerWatchService.from(context)?.deliver(.changed(ForeignPlayer(player.pointee)))
            },
            vanished: { context, owner in
                guard let owner else { return }
                PlayerWatchService.from(context)?.deliver(.vanished(String(cString: owner)))
            },
            synced: { context in PlayerWatchService.from(context)?.deliver(.synced) },
            completed: { context, number, succeeded, position in
                PlayerWatchService.from(context)?.complete(number, with: succeeded ? position : nil)
            })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> PlayerWatchService? {
        context.map { Unmanaged<PlayerWatchService>.fromOpaque($0).takeUnretainedValue() }
    }
}
