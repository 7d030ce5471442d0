internal import AudioRendering

/// Remembers the connections of the client's ports while their far ports, those at the other end,
/// do not exist. A connection whose far port disappeared is restored when that port returns; a
/// connection that a user or another program removed stays removed (keeps SRV-2).
///
/// When a client dies, JACK removes its connections before it removes its ports. A connection that
/// vanished therefore counts as removed deliberately only if its far port still exists after a
/// grace period.
struct ConnectionHistory: Sendable {
    /// The connections at the last update.
    private(set) var made: Set<PortLink> = []
    /// The connections whose far port does not exist.
    private(set) var awaited: Set<PortLink> = []
    /// The connections that vanished although their far port exists, and since when.
    private var vanished: [PortLink: ContinuousClock.Instant] = [:]

    /// The grace period: how long a far port must outlast its connection until the connection
    /// counts as removed deliberately.
    static let grace = Duration.seconds(graceSeconds)
    static let graceSeconds = 1.0
    /// The maximum number of connections that await their far port. Beyond it all of them are
    /// dropped, so that far ports that keep appearing under new names cannot exhaust the memory.
    static let maximumAwaited = 256

    /// Whether a connection vanished and its grace period has not ended. The history must then be
    /// updated again after that period.
    var isUndecided: Bool { !vanished.isEmpty }

    /// The connections to restore when a server returns.
    var restorable: Set<PortLink> { made.union(awaited) }

    /// Prepares for another server. A server that dies does not remove connections one by one, so
    /// the connections that vanished before its end were removed deliberately.
    mutating func moveToNewServer() { vanished = [:] }

    /// Updates the history with the current connections and returns the connections to make again.
    /// `wasRegistered` returns whether a port was registered or renamed since the last update: such
    /// a port may have disappeared in between, even if it exists now. jackd lists its connections
    /// until a cycle runs, which may take long when it opens its driver again. They are therefore
    /// made again although they are in `current`; where they do exist, that changes nothing.
    mutating func update(
        with current: Set<PortLink>, now: ContinuousClock.Instant = .now, exists: (String) -> Bool,
        wasRegistered: (String) -> Bool
    ) -> [PortLink] {
        var toRestore = made.intersection(current).filter { wasRegistered($0.far) && exists($0.far) }
        for link in made where !current.contains(link) { vanished[link] = now }
        for (link, since) in vanished {
            if current.contains(link) {
                vanished[link] = nil
            } else if !exists(link.far) {
                // This and the next case come before the grace period, so that after a late
                // update a port that disappeared does not count as a connection that was removed
                // deliberately.
                vanished[link] = nil
                awaited.insert(link)
            } else if wasRegistered(link.far) {
                vanished[link] = nil
                toRestore.insert(link)
            } else if now - since > Self.grace {
                vanished[link] = nil
            }
        }
        awaited.subtract(current)
        let returned = awaited.filter { exists($0.far) }
        awaited.subtract(returned)
        if awaited.count > Self.maximumAwaited { awaited = [] }
        made = current
        return Array(toRestore.union(returned))
    }

    /// Records whether an attempt to make a connection succeeded; if not, it awaits its far port.
    mutating func record(_ link: PortLink, isMade: Bool) {
        if isMade {
            made.insert(link)
        } else {
            made.remove(link)
            awaited.insert(link)
        }
    }

    /// Forgets these connections.
    mutating func forget(links: Set<PortLink>) {
        made.subtract(links)
        awaited.subtract(links)
        vanished = vanished.filter { !links.contains($0.key) }
    }

    /// Forgets the connections of own ports that are unregistered.
    mutating func forget(_ own: Set<String>) {
        made = made.filter { !own.contains($0.own) }
        awaited = awaited.filter { !own.contains($0.own) }
        vanished = vanished.filter { !own.contains($0.key.own) }
    }
}
