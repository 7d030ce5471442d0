internal import CSessionSocket
internal import Foundation
internal import Platform
internal import SessionArbiter

/// Waits for any of several descriptors at once.
struct EventLoop: ~Copyable {
    /// The events of a descriptor.
    struct Readiness {
        var token: UInt64
        /// There is something to read, or the other end is gone.
        var isReadable: Bool
        var isWritable: Bool
    }

    private let descriptor: Int32
    private var events = [epoll_event](repeating: epoll_event(), count: 64)

    init() throws(ArbiterError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .unavailable("cannot create an event queue: \(systemErrorText(errno))") }
    }

    deinit { close(descriptor) }

    /// Watches a descriptor for reading, and on request for writing. Returns whether that
    /// succeeded.
    func watch(_ watched: Int32, token: UInt64, forWriting: Bool = false) -> Bool {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (forWriting ? EPOLLOUT.rawValue : 0)
        event.data.u64 = token
        if epoll_ctl(descriptor, EPOLL_CTL_MOD, watched, &event) == 0 { return true }
        return epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0
    }

    /// Stops watching a descriptor. The caller calls this before it closes the descriptor.
    func forget(_ watched: Int32) { epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, nil) }

    /// Waits at most `milliseconds`; 0 does not wait, a negative value waits without limit. A
    /// signal ends the wait.
    mutating func wait(milliseconds: Int32) -> [Readiness] {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        guard count > 0 else { return [] }
        return events[..<Int(count)].map {
            Readiness(
                token: $0.data.u64, isReadable: $0.events & ~EPOLLOUT.rawValue != 0,
                isWritable: $0.events & EPOLLOUT.rawValue != 0)
        }
    }
}
