import CSystemd
import Foundation
import TestSupport

/// A program on the bus that calls the player faster than a process per call could.
final class BusClient {
    /// An argument of a method, or the value of a property.
    indirect enum Value: Hashable, Sendable {
        case text(String)
        /// A text that sd-bus does not examine, as of a program without sd-bus.
        case unchecked(String)
        case object(String)
        case integer(Int64)
        case number(Double)
        case flag(Bool)
        case variant(Value)
        /// A value of another type, by its signature.
        case other(String)
    }

    /// The name and the text of an error that replies to a call.
    struct Failure: Error, Hashable {
        let name: String
        let text: String
    }

    private var bus: OpaquePointer?

    init(_ address: String) throws {
        try check(sd_bus_new(&bus))
        try check(sd_bus_set_address(bus, address))
        try check(sd_bus_set_bus_client(bus, 1))
        try check(sd_bus_start(bus))
    }

    deinit { sd_bus_close_unref(bus) }

    /// Calls a method of the player's object. Throws a `Failure` if the reply is an error. Returns
    /// the first value of the reply.
    @discardableResult
    func call(
        _ interface: String, _ member: String, _ arguments: [Value] = [],
        to name: String = "org.mpris.MediaPlayer2.player", path: String = "/org/mpris/MediaPlayer2"
    ) throws -> Value? {
        var message: OpaquePointer?
        try check(sd_bus_message_new_method_call(bus, &message, name, path, interface, member))
        defer { sd_bus_message_unref(message) }
        for argument in arguments { try argument.append(to: message) }
        var error = sd_bus_error()
        defer { sd_bus_error_free(&error) }
        var reply: OpaquePointer?
        let result = sd_bus_call(bus, message, 10_000_000, &error, &reply)
        defer { sd_bus_message_unref(reply) }
        guard result >= 0 else {
            throw Failure(
                name: error.name.map { String(cString: $0) } ?? "none",
                text: error.message.map { String(cString: $0) } ?? "")
        }
        return try read(reply)
    }

    /// Calls methods of the player without arguments, and waits for no replies.
    func send(_ interface: String, _ member: String, times: Int) throws {
        for _ in 0..<times {
            var message: OpaquePointer?
            try check(
                sd_bus_message_new_method_call(
                    bus, &message, "org.mpris.MediaPlayer2.player", "/org/mpris/MediaPlayer2", interface, member))
            defer { sd_bus_message_unref(message) }
            try check(sd_bus_message_set_expect_reply(message, 0))
            try check(sd_bus_send(bus, message, nil))
            try check(sd_bus_flush(bus))
        }
    }

    /// Returns a property of the player.
    func get(_ property: String, of interface: String = "org.mpris.MediaPlayer2.Player") throws -> Value {
        let reply = try call("org.freedesktop.DBus.Properties", "Get", [.text(interface), .text(property)])
        guard case .variant(let value) = reply else { throw TestFailure("Get returned \(String(describing: reply)).") }
        return value
    }

    /// Sets a property of the player.
    func set(_ property: String, _ value: Value, of interface: String = "org.mpris.MediaPlayer2.Player") throws {
        try call(
            "org.freedesktop.DBus.Properties", "Set", [.text(interface), .text(property), .variant(value)])
    }

    /// Reads the next value; nil if there is none.
    private func read(_ message: OpaquePointer?) throws -> Value? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        try check(sd_bus_message_peek_type(message, &type, &contents))
        func text() throws -> String {
            var text: UnsafePointer<CChar>?
            try check(sd_bus_message_read_basic(message, type, &text))
            return text.map { String(cString: $0) } ?? ""
        }
        switch Unicode.Scalar(UInt8(type)) {
        case "\0": return nil
        case "s": return .text(try text())
        case "o": return .object(try text())
        case "x":
            var number: Int64 = 0
            try check(sd_bus_message_read_basic(message, type, &number))
            return .integer(number)
        case "d":
            var number = 0.0
            try check(sd_bus_message_read_basic(message, type, &number))
            return .number(number)
        case "b":
            var number: Int32 = 0
            try check(sd_bus_message_read_basic(message, type, &number))
            return .flag(number != 0)
        case "v":
            try check(sd_bus_message_enter_container(message, type, contents))
            return try read(message).map { .variant($0) }
        case let scalar: return .other(String(Character(scalar)) + (contents.map { String(cString: $0) } ?? ""))
        }
    }
}

/// Throws if a function of sd-bus has failed.
func check(_ result: Int32) throws {
    guard result >= 0 else { throw TestFailure("sd-bus: \(String(cString: strerror(-result)))") }
}

extension BusClient.Value {
    /// Appends the value to a message.
    func append(to message: OpaquePointer?) throws {
        switch self {
        case .text(let text): try check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "s")), text))
        case .unchecked(let text):
            var copy: UnsafeMutablePointer<CChar>?
            try check(sd_bus_message_append_string_space(message, text.utf8.count, &copy))
            for (index, byte) in text.utf8.enumerated() { copy?[index] = CChar(bitPattern: byte) }
        case .object(let path): try check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "o")), path))
        case .integer(var number): try check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "x")), &number))
        case .number(var number): try check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "d")), &number))
        case .flag(let flag):
            var number: Int32 = flag ? 1 : 0
            try check(sd_bus_message_append_basic(message, CChar(UInt8(ascii: "b")), &number))
        case .variant(let content):
            try check(sd_bus_message_open_container(message, CChar(UInt8(ascii: "v")), content.signature))
            try content.append(to: message)
            try check(sd_bus_message_close_container(message))
        case .other(let signature): throw TestFailure("Cannot send a value of the type '\(signature)'.")
        }
    }

    private var signature: String {
        switch self {
        case .text, .unchecked: "s"
        case .object: "o"
        case .integer: "x"
        case .number: "d"
        case .flag: "b"
        case .variant: "v"
        case .other(let signature): signature
        }
    }
}
