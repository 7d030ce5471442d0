internal import AudioRendering
internal import Foundation

/// The server at which a client was opened. Recovery opens the next client at the same server.
enum ReachedServer: Equatable, Sendable {
    /// A server that the driver did not start; nil: the default one.
    case outside(name: String?)
    /// The managed server.
    case managed

    /// The choice that reaches this server; the default server is not replaced by the managed one.
    var choice: JackDriverConfiguration.ServerChoice {
        switch self {
        case .managed: .managed
        case .outside(let name?): .named(name)
        case .outside(nil): .automatic
        }
    }

    /// The name under which the server was requested, if one was given.
    var outsideName: String? {
        if case .outside(let name) = self { name } else { nil }
    }

    /// Opens a client at the server that `choice` selects at this moment. `onLaunch` is called
    /// before the managed server is started.
    static func openClient(
        _ choice: JackDriverConfiguration.ServerChoice, managed: ManagedServer, name: String, monitor: ServerMonitor,
        onLaunch: () -> Void
    ) throws(DriverError) -> (server: ReachedServer, client: JackClient) {
        switch choice {
        case .named(let server):
            return (.outside(name: server), try JackClient(server: server, name: name, monitor: monitor))
        case .managed:
            return (
                .managed,
                try ReachedServer.managed.openClient(managed: managed, name: name, monitor: monitor, onLaunch: onLaunch)
            )
        case .automatic:
            do throws(DriverError) {
                return (.outside(name: nil), try JackClient(server: nil, name: name, monitor: monitor))
            } catch {
                guard case .noServer = error else { throw error }
                return (
                    .managed,
                    try ReachedServer.managed.openClient(
                        managed: managed, name: name, monitor: monitor, onLaunch: onLaunch)
                )
            }
        }
    }

    /// Returns JACK's name of the server.
    func name(managed: ManagedServer) -> String {
        switch self {
        case .managed: return managed.name
        case .outside(let name?): return name
        case .outside(nil):
            let given = ProcessInfo.processInfo.environment["JACK_DEFAULT_SERVER"] ?? ""
            return given.isEmpty ? "default" : given
        }
    }

    /// Opens a client at this server; starts the managed server if it is not running.
    func openClient(
        managed: ManagedServer, name: String, monitor: ServerMonitor, onLaunch: () -> Void = {}
    ) throws(DriverError) -> JackClient {
        switch self {
        case .outside(let server):
            try JackClient(server: server, name: name, monitor: monitor)
        case .managed:
            try managed.whileRunning(onLaunch: onLaunch) { () throws(DriverError) in
                try JackClient(server: managed.name, name: name, monitor: monitor)
            }
        }
    }
}
