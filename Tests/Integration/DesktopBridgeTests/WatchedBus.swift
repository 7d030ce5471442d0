import DesktopBridge
import Foundation
import Platform
import TestSupport

/// A private bus with a watch of its players, and what the watch reports.
final class WatchedBus {
    let desktop: PrivateBus
    let watch: MediaPlayerWatch
    let events = EventLog<MediaPlayerWatch.Event>()
    let lost = EventLog<String>()

    init(_ desktop: PrivateBus? = nil) throws {
        let desktop = try desktop ?? PrivateBus()
        self.desktop = desktop
        watch = try MediaPlayerWatch(
            address: desktop.address, receive: { [events] in events.note($0) }, lost: { [lost] in lost.note($0) })
    }

    /// The players according to the events.
    static func players(_ events: [MediaPlayerWatch.Event]) -> [String: ForeignPlayer] {
        events.reduce(into: [:]) { players, event in
            switch event {
            case .changed(let player): players[player.id] = player
            case .vanished(let id): players[id] = nil
            case .synced: break
            }
        }
    }

    var players: [String: ForeignPlayer] { Self.players(events.noted) }

    /// Waits until a player is as `predicate` requires.
    func waits(for id: String, limit: Double = 20, _ predicate: (ForeignPlayer) -> Bool = { _ in true }) -> Bool {
        events.wait(limit: limit) { Self.players($0)[id].map(predicate) ?? false }
    }

    /// Waits until there is a player of that name; returns it.
    func player(named name: String) throws -> ForeignPlayer {
        func find(_ events: [MediaPlayerWatch.Event]) -> ForeignPlayer? {
            Self.players(events).values.first { $0.names.contains(name) }
        }
        guard events.wait(until: { find($0) != nil }), let player = find(events.noted) else {
            throw TestFailure("There is no player '\(name)': \(events.noted)")
        }
        return player
    }

    /// Makes a call and waits for its end; returns its result and duration.
    func result(
        _ call: (@escaping @Sendable (Bool) -> Void) -> Void
    ) throws -> (succeeded: Bool, seconds: Double) {
        let promise = Promise<Bool>()
        let begin = ContinuousClock.now
        call { promise.set($0) }
        guard let succeeded = promise.wait(seconds: 20) else { throw TestFailure("The call did not end.") }
        return (succeeded, (ContinuousClock.now - begin) / .seconds(1))
    }

    func pause(_ id: String) throws -> (succeeded: Bool, seconds: Double) {
        try result { watch.pause(id, completed: $0) }
    }

    func play(_ id: String) throws -> (succeeded: Bool, seconds: Double) {
        try result { watch.play(id, completed: $0) }
    }

    func position(_ id: String) throws -> Int64? {
        let promise = Promise<Int64?>()
        watch.readPosition(of: id) { promise.set($0) }
        guard let position = promise.wait(seconds: 20) else { throw TestFailure("The call did not end.") }
        return position
    }
}
