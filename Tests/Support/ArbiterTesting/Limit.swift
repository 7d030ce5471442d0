import Glibc

/// A deadline for an expected event. It is generous: only an event that never comes reaches it.
package struct Limit {
    private let end: ContinuousClock.Instant

    package init(seconds: Double) { end = .now + .seconds(seconds) }

    package var hasPassed: Bool { ContinuousClock.now >= end }

    /// The time left, as a timeout for `poll`.
    package var milliseconds: Int32 {
        let left = ContinuousClock.now.duration(to: end)
        return left <= .zero
            ? 0
            : Int32(clamping: left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
    }

    /// Waits until the descriptor is ready. Returns false at the deadline.
    package func wait(for descriptor: Int32, _ events: Int32 = POLLIN) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = poll(&watched, 1, milliseconds)
            if count > 0 { return true }
            guard count < 0, errno == EINTR else { return false }
        }
    }

    /// Polls a condition that gives no notice of its changes, such as a page of memory, until it
    /// holds. Returns false after `seconds`.
    package static func waits(seconds: Double = 20, until condition: () throws -> Bool) rethrows -> Bool {
        let limit = Limit(seconds: seconds)
        while !(try condition()) {
            guard !limit.hasPassed else { return false }
            poll(nil, 0, 2)  // not a busy loop: the process that changes it may need this core
        }
        return true
    }
}
