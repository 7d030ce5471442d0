internal import CDesktopBus
internal import Foundation
internal import Platform

/// A connection to a bus, with signals, calls and timers. Used on one thread, in `serve` and the
/// closures that it calls, except for `wake` and `stop`.
///
/// Unchecked `Sendable`: `watch` is set before the thread starts, and the other variables are used
/// only by it.
final class BusConnection: @unchecked Sendable {
    typealias Handler = (_ path: String, _ values: [BusValue]) -> Void

    /// The kind of a signal. Nil stands for every value.
    struct Signal {
        var path: String?
        var interface: String
        var member: String
        var argument: String?
    }

    /// A reply to a call.
    enum Reply {
        /// The callee closes the descriptor, if there is one.
        case values([BusValue], descriptor: Int32?)
        case refused
        /// There was none within 5 s, or the call could not be made. A later call may succeed.
        case missing
    }

    /// The bus as a service.
    static let bus = "org.freedesktop.DBus"

    private var watch: OpaquePointer?
    private let isStopped = Mutex(false)
    private var followed: [UInt64: (handle: Handler, missed: () -> Void)] = [:]
    private var calls: [UInt64: (Reply) -> Void] = [:]
    private var timers: [UInt64: (due: UInt64, body: () -> Void)] = [:]
    private var lastNumber: UInt64 = 0

    init() {}

    deinit { desktop_watch_destroy(watch) }

    func open(_ address: String, timeoutSeconds: Double) throws(SystemFailure) {
        var callbacks = callbacks
        watch = try SessionBusAddress.open(address, timeoutSeconds: timeoutSeconds) { address, milliseconds, opened in
            desktop_watch_open(address, milliseconds, &callbacks, &opened)
        }
    }

    // ---- Any thread -----------------------------------------------------------------------------

    /// Makes `serve` call its body.
    func wake() { desktop_watch_wake(watch) }

    func stop() {
        isStopped.withLock { $0 = true }
        wake()
    }

    // ---- The thread -----------------------------------------------------------------------------

    /// Serves the bus until `stop`, or until the connection has ended; then returns the reason.
    /// Calls `woken` after `wake`.
    func serve(_ woken: () -> Void) -> String? {
        defer {
            desktop_watch_close(watch)
            (followed, calls, timers) = ([:], [:], [:])
        }
        while true {
            if isStopped.withLock({ $0 }) { return nil }
            woken()
            let result = desktop_watch_wait(watch, timers.values.map(\.due).min() ?? .max)
            if result < 0 { return systemErrorText(-result) }
            runTimers()
        }
    }

    /// Follows signals of a connection. `missed` is called if some of them may have been lost.
    /// Returns a number for `unfollow`; nil if the limit is reached.
    func follow(
        _ sender: String, _ signal: Signal, missed: @escaping () -> Void, _ handle: @escaping Handler
    ) -> UInt64? {
        let number = nextNumber()
        var strings = CStrings([sender, signal.interface, signal.member, signal.path, signal.argument])
        defer { strings.free() }
        var match = desktop_watch_signal_t(
            sender: strings[0], path: strings[3], interface: strings[1], member: strings[2], argument: strings[4])
        guard desktop_watch_follow(watch, number, &match) >= 0 else { return nil }
        followed[number] = (handle, missed)
        return number
    }

    func unfollow(_ number: UInt64) {
        desktop_watch_unfollow(watch, number)
        followed[number] = nil
    }

    /// Calls a method of a connection.
    func call(
        _ destination: String, path: String, interface: String, _ member: String, _ arguments: [String] = [],
        completed: @escaping (Reply) -> Void
    ) {
        let number = nextNumber()
        calls[number] = completed
        var strings = CStrings(arguments.map { $0 })
        defer { strings.free() }
        let result = desktop_watch_call(
            watch, number, destination, path, interface, member, strings.pointers, arguments.count)
        if result < 0 { after(0) { [weak self] in self?.complete(number, Self.failure(result)) } }
    }

    /// The reply for a negative errno. A limit of this process or of the bus says nothing about the
    /// service.
    fileprivate static func failure(_ result: Int32) -> Reply {
        switch result {
        case -ETIMEDOUT, -ENOSPC, -ENOMEM, -ENOBUFS, -EPROTO: .missing
        default: .refused
        }
    }

    /// Calls `body` after some seconds.
    func after(_ seconds: Double, _ body: @escaping () -> Void) {
        timers[nextNumber()] = (Self.now + UInt64(seconds * 1e6), body)
        // `serve` may be waiting until a later time.
        wake()
    }

    private func runTimers() {
        let now = Self.now
        for (number, timer) in timers.sorted(by: { $0.key < $1.key }) where timer.due <= now {
            timers[number] = nil
            timer.body()
        }
    }

    private func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// The microseconds of the monotonic clock.
    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000 }

    fileprivate func complete(_ number: UInt64, _ reply: Reply) {
        if let completed = calls.removeValue(forKey: number) { return completed(reply) }
        if case .values(_, let descriptor?) = reply { close(descriptor) }
    }

    fileprivate func deliver(_ number: UInt64, _ path: String, _ values: [BusValue]) {
        followed[number]?.handle(path, values)
    }

    fileprivate func reportMissed(_ number: UInt64) { followed[number]?.missed() }

    /// What the connection calls. Valid as long as this object exists.
    private var callbacks: desktop_watch_callbacks_t {
        desktop_watch_callbacks_t(
            context: Unmanaged.passUnretained(self).toOpaque(),
            signalled: { context, number, path, values, count in
                guard let path else { return }
                BusConnection.from(context)?
                    .deliver(number, String(cString: path), BusValue.values(values, count: count))
            },
            missed: { context, number in BusConnection.from(context)?.reportMissed(number) },
            completed: { context, number, result, values, count, descriptor in
                let reply: Reply =
                    if result >= 0 {
                        .values(BusValue.values(values, count: count), descriptor: descriptor >= 0 ? descriptor : nil)
                    } else { BusConnection.failure(result) }
                BusConnection.from(context)?.complete(number, reply)
            })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> BusConnection? {
        context.map { Unmanaged<BusConnection>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Copies of texts for C.
private struct CStrings {
    var pointers: [UnsafePointer<CChar>?]

    init(_ texts: [String?]) { pointers = texts.map { text in text.flatMap { UnsafePointer(strdup($0.busText)) } } }

    subscript(index: Int) -> UnsafePointer<CChar>? { pointers[index] }

    mutating func free() {
        for pointer in pointers { Glibc.free(UnsafeMutablePointer(mutating: pointer)) }
        pointers = []
    }
}
