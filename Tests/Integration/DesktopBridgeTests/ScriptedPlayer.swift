import CSystemd
import Foundation
import Platform
import TestSupport

/// A media player of another program: a connection of its own, which replies as a test says.
///
/// Unchecked `Sendable`: the connection is used only under the lock.
final class ScriptedPlayer: @unchecked Sendable {
    typealias Value = BusClient.Value
    static let root = "org.mpris.MediaPlayer2"
    static let player = "org.mpris.MediaPlayer2.Player"

    private struct State {
        var values: [String: Value]
        var isHung = false
        /// The calls without a reply while it was hung.
        var waiting: [OpaquePointer] = []
        var isEnded = false
    }

    /// The methods that were called; `Get` with its property.
    let calls = EventLog<String>()
    /// Its unique name.
    let owner: String
    private let lock = NSRecursiveLock()
    private var bus: OpaquePointer?
    private var state: State
    private let thread = WorkerThread()

    static let values: [String: Value] = [
        "Identity": .text("Scripted"), "DesktopEntry": .text("scripted"), "PlaybackStatus": .text("Playing"),
        "CanControl": .flag(true), "CanPause": .flag(true), "CanPlay": .flag(true), "Position": .integer(7),
    ]

    init(
        on desktop: PrivateBus, names: [String], values: [String: Value] = ScriptedPlayer.values, isHung: Bool = false
    ) throws {
        state = State(values: values, isHung: isHung)
        try check(sd_bus_new(&bus))
        try check(sd_bus_set_address(bus, desktop.address))
        try check(sd_bus_set_bus_client(bus, 1))
        try check(sd_bus_start(bus))
        var name: UnsafePointer<CChar>?
        try check(sd_bus_get_unique_name(bus, &name))
        owner = name.map { String(cString: $0) } ?? ""
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(sd_bus_add_object(bus, nil, "/org/mpris/MediaPlayer2", Self.handler, context))
        for name in names { try own(name) }
        guard thread.start(name: "scripted", { [weak self] in while self?.serve() == true {} }) else {
            throw TestFailure("Cannot start a thread.")
        }
    }

    deinit { leave() }

    /// Disconnects, as the end of its process does.
    func leave() {
        lock.withLock {
            guard !state.isEnded else { return }
            state.isEnded = true
            for message in state.waiting { sd_bus_message_unref(message) }
            sd_bus_flush_close_unref(bus)
            bus = nil
        }
    }

    /// Requests a name; if another connection owns it, and `waits`, until that one releases it.
    func own(_ name: String, waits: Bool = false) throws {
        let flags = waits ? UInt64(SD_BUS_NAME_QUEUE) : 0
        try lock.withLock { try check(sd_bus_request_name(bus, Self.root + "." + name, flags)) }
    }

    func release(_ name: String) throws {
        try lock.withLock { try check(sd_bus_release_name(bus, Self.root + "." + name)) }
    }

    /// Requests and releases a name without waiting for the replies.
    func flicker(_ name: String) throws {
        try lock.withLock {
            try check(sd_bus_request_name_async(bus, nil, Self.root + "." + name, 0, nil, nil))
            try check(sd_bus_release_name_async(bus, nil, Self.root + "." + name, nil, nil))
            try check(sd_bus_flush(bus))
        }
    }

    /// Changes values without a signal.
    func set(_ values: [String: Value]) { lock.withLock { state.values.merge(values) { $1 } } }

    func value(_ name: String) -> Value? { lock.withLock { state.values[name] } }

    /// While it hangs, it replies to nothing; afterwards, to all that it has received.
    func hang(_ isHung: Bool) {
        lock.withLock {
            state.isHung = isHung
            guard !isHung else { return }
            let waiting = state.waiting
            state.waiting = []
            for message in waiting {
                reply(to: message)
                sd_bus_message_unref(message)
            }
            sd_bus_flush(bus)
        }
    }

    /// Sends PropertiesChanged.
    func announce(
        _ changed: [(String, Value)], invalidated: [String] = [], of interface: String = ScriptedPlayer.player
    ) throws {
        try lock.withLock {
            var signal: OpaquePointer?
            try check(
                sd_bus_message_new_signal(
                    bus, &signal, "/org/mpris/MediaPlayer2", "org.freedesktop.DBus.Properties", "PropertiesChanged"))
            defer { sd_bus_message_unref(signal) }
            func open(_ type: Unicode.Scalar, _ contents: String) throws {
                try check(sd_bus_message_open_container(signal, CChar(type.value), contents))
            }
            try Value.text(interface).append(to: signal)
            try open("a", "{sv}")
            for (name, value) in changed {
                try open("e", "sv")
                try Value.text(name).append(to: signal)
                try Value.variant(value).append(to: signal)
                try check(sd_bus_message_close_container(signal))
            }
            try check(sd_bus_message_close_container(signal))
            try open("a", "s")
            for name in invalidated { try Value.text(name).append(to: signal) }
            try check(sd_bus_message_close_container(signal))
            try check(sd_bus_send(bus, signal, nil))
            try check(sd_bus_flush(bus))
        }
    }

    /// Processes what has arrived. Returns false after the end.
    private func serve() -> Bool {
        let descriptor = lock.withLock { () -> Int32 in
            guard !state.isEnded else { return -1 }
            while sd_bus_process(bus, nil) > 0 {}
            return sd_bus_get_fd(bus)
        }
        guard descriptor >= 0 else { return false }
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // A call of another method may have read messages that wait.
        poll(&watched, 1, 5)
        return true
    }

    private static let handler: sd_bus_message_handler_t = { message, context, _ in
        guard let context, let message else { return 0 }
        Unmanaged<ScriptedPlayer>.fromOpaque(context).takeUnretainedValue().receive(message)
        return 1
    }

    private func receive(_ message: OpaquePointer) {
        guard state.isHung else { return reply(to: message) }
        calls.note(String(cString: sd_bus_message_get_member(message)))
        state.waiting.append(sd_bus_message_ref(message))
    }

    private func reply(to message: OpaquePointer) {
        let member = String(cString: sd_bus_message_get_member(message))
        var property: UnsafePointer<CChar>?
        if member == "Get" {
            sd_bus_message_skip(message, "s")
            sd_bus_message_read_basic(message, CChar(UInt8(ascii: "s")), &property)
        }
        let name = property.map { String(cString: $0) }
        calls.note(name.map { "Get \($0)" } ?? member)
        var answer: OpaquePointer?
        defer { sd_bus_message_unref(answer) }
        guard sd_bus_message_new_method_return(message, &answer) >= 0 else { return }
        if let name {
            guard let value = state.values[name], (try? Value.variant(value).append(to: answer)) != nil else {
                sd_bus_reply_method_errno(message, EINVAL, nil)
                return
            }
        } else if member == "Pause" || member == "Play" {
            let status = Value.text(member == "Pause" ? "Paused" : "Playing")
            state.values["PlaybackStatus"] = status
            try? announce([("PlaybackStatus", status)])
        }
        sd_bus_send(bus, answer, nil)
    }
}
