internal import AudioRendering

/// What the client's ports are connected to, remembered while the far ends are away: a connection whose far end left comes back with it,
/// one that somebody took apart does not (keeps SRV-2).
///
/// JACK takes the connections of a client that dies apart before its ports go, so one that vanished counts as taken apart only when its
/// far end has stayed for a while.
struct PatchMemory: Sendable {
    /// Those there were at the last look.
    private(set) var made: Set<PortLink> = []
    /// Those whose far end is away.
    private(set) var awaited: Set<PortLink> = []
    private var vanished: [PortLink: ContinuousClock.Instant] = [:]

    /// How long a far end is watched after its connection vanished.
    static let grace = Duration.seconds(graceSeconds)
    static let graceSeconds = 1.0
    /// Far ends that come and go under ever new names are forgotten.
    static let mostAwaited = 256

    /// Whether it is not known as yet if a connection that vanished was taken apart: it is to be looked at once more, when the grace is over.
    var isUndecided: Bool { !vanished.isEmpty }

    /// What comes back with a server.
    var restorable: Set<PortLink> { made.union(awaited) }

    /// The server is another one: what vanished before its end was taken apart, since a server that dies takes nothing apart one by one.
    mutating func moveToNewServer() { vanished = [:] }

    /// Takes in what there is now, and returns what is to be connected again. `isRenewed` says of a port that it was registered since the
    /// last look: it was away, even if it is there.
    mutating func look(
        at current: Set<PortLink>, now: ContinuousClock.Instant = .now, exists: (String) -> Bool,
        isRenewed: (String) -> Bool
    ) -> [PortLink] {
        var again: [PortLink] = []
        for link in made where !current.contains(link) { vanished[link] = now }
        for (link, since) in vanished {
            if current.contains(link) {
                vanished[link] = nil
            } else if !exists(link.far) {
                // First: whoever looks late must not take what left for what was taken apart.
                vanished[link] = nil
                awaited.insert(link)
            } else if now - since > Self.grace {
                vanished[link] = nil
            } else if isRenewed(link.far) {
                vanished[link] = nil
                again.append(link)
            }
        }
        awaited.subtract(current)
        let back = awaited.filter { exists($0.far) }
        awaited.subtract(back)
        if awaited.count > Self.mostAwaited { awaited = [] }
        made = current
        return again + back
    }

    mutating func note(_ link: PortLink, isMade: Bool) {
        if isMade {
            made.insert(link)
        } else {
            made.remove(link)
            awaited.insert(link)
        }
    }

    /// Forgets the connections of own ports that are given back.
    mutating func forget(_ own: Set<String>) {
        made = made.filter { !own.contains($0.own) }
        awaited = awaited.filter { !own.contains($0.own) }
        vanished = vanished.filter { !own.contains($0.key.own) }
    }
}
