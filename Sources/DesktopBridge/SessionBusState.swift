internal import CDesktopBus
internal import Foundation
internal import Platform

/// Whether the user's session bus can be used.
public enum SessionBusState: Hashable, Sendable {
    case reachable(address: String)
    /// There is none, as without a desktop: no address is set and no socket exists.
    case absent(reason: String)
    /// There should be one, but it does not accept a connection.
    case unreachable(reason: String)

    /// Connects to the bus and disconnects again. Takes at most `timeoutSeconds`.
    public static func current(timeoutSeconds: Double = 2) -> SessionBusState {
        current(environment: ProcessInfo.processInfo.environment, timeoutSeconds: timeoutSeconds)
    }

    static func current(environment: [String: String], timeoutSeconds: Double) -> SessionBusState {
        let address: String
        do throws(SystemFailure) {
            address = try SessionBusAddress.find(environment: environment)
        } catch {
            return .absent(reason: error.reason)
        }
        let ignored = desktop_bus_callbacks_t(
            context: nil, perform: { _, _, _ in DESKTOP_BUS_FAILED }, position: { _ in 0 }, named: { _, _, _ in })
        do throws(SystemFailure) {
            desktop_bus_destroy(
                try SessionBusAddress.open(address, timeoutSeconds: timeoutSeconds, callbacks: ignored))
            return .reachable(address: address)
        } catch {
            return .unreachable(reason: error.reason)
        }
    }
}

/// Finds the session bus as other programs of the desktop do, and connects to it.
enum SessionBusAddress {
    /// Returns the address in DBUS_SESSION_BUS_ADDRESS, otherwise that of the socket `bus` in
    /// XDG_RUNTIME_DIR. Throws if there is neither.
    static func find(environment: [String: String]) throws(SystemFailure) -> String {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
        guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else {
            throw SystemFailure("neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
        }
        let socket = folder + "/bus"
        guard access(socket, F_OK) == 0 else {
            throw SystemFailure("DBUS_SESSION_BUS_ADDRESS is not set and '\(socket.printable)' does not exist")
        }
        return "unix:path=" + escape(socket)
    }

    /// Escapes the bytes of a path that an address cannot contain.
    private static func escape(_ path: String) -> String {
        path.utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", "/", ".", "*": text.unicodeScalars.append(scalar)
            default: text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
    }

    /// The kinds of addresses that sd-bus can connect to.
    private static let transports = ["unix:", "tcp:", "unixexec:", "x-machine-unix:"]

    /// Connects to the bus, for at most `timeoutSeconds`. Returns a bus for the caller to destroy.
    static func open(
        _ address: String, timeoutSeconds: Double, callbacks: desktop_bus_callbacks_t
    ) throws(SystemFailure) -> OpaquePointer {
        var callbacks = callbacks
        return try open(address, timeoutSeconds: timeoutSeconds) { address, milliseconds, bus in
            desktop_bus_open(address, milliseconds, &callbacks, &bus)
        }
    }

    /// The same for an object that `connect` opens at an address, with a time limit in ms.
    static func open(
        _ address: String, timeoutSeconds: Double,
        connect: (_ address: String, _ milliseconds: Int32, _ opened: inout OpaquePointer?) -> Int32
    ) throws(SystemFailure) -> OpaquePointer {
        var opened: OpaquePointer?
        let milliseconds = max(0, min(timeoutSeconds, 3_600)) * 1_000
        // sd-bus reports an address of another kind, such as `disabled:`, as a refused connection.
        let isKnown = address.split(separator: ";").contains { entry in transports.contains { entry.hasPrefix($0) } }
        let result = isKnown ? connect(address.busText, Int32(milliseconds), &opened) : -EINVAL
        guard result >= 0, let opened else {
            let reason =
                switch -result {
                case ETIMEDOUT: "it did not reply within \(timeoutSeconds) s"
                case EINVAL: "this is not a valid address"
                case let code: systemErrorText(code)
                }
            throw SystemFailure("'\(String(address.prefix(200)).printable)': \(reason)")
        }
        return opened
    }
}
