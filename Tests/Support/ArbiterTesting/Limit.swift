import Glibc

/// A moment that an event is awaited until. Far off: only what never comes reaches it.
package struct Limit {
    private let end: ContinuousClock.Instant

    package init(seconds: Double) { end = .now + .seconds(seconds) }

    package var hasPassed: Bool { ContinuousClock.now >= end }

    /// What is left, for poll.
    package var milliseconds: Int32 {
        let left = ContinuousClock.now.duration(to: end)
        return left <= .zero
            ? 0
            : Int32(clamping: left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Waits until the descriptor is ready, or the end.
    package func wait(for descriptor: Int32, _ events: Int32 = POLLIN) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = poll(&watched, 1, milliseconds)
            if count > 0 { return true }
            guard count < 0, errno == EINTR else { return false }
        }
    }

    /// Looks at what tells nobody when it changes, such as a page of memory, until it is as awaited.
    package static func waits(seconds: Double = 20, until condition: () throws -> Bool) rethrows -> Bool {
        let limit = Limit(seconds: seconds)
        while !(try condition()) {
            guard !limit.hasPassed else { return false }
            poll(nil, 0, 2)  // not at once: whoever is waited for may need this core
        }
        return true
    }
}
