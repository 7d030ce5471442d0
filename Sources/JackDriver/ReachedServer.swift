internal import AudioRendering
internal import Foundation

/// A server that was reached, so that it can be reached again.
enum ReachedServer: Equatable, Sendable {
    /// One that others run; nil: the default one.
    case outside(name: String?)
    /// The managed one.
    case managed

    /// The name that it was asked for by, where that was given.
    var outsideName: String? {
        if case .outside(let name) = self { name } else { nil }
    }

    /// Makes a client at the server that `choice` leads to now. `onLaunch` is called before the managed one is started.
    static func reach(
        _ choice: JackDriver.ServerChoice, managed: ManagedServer, name: String, news: ServerNews,
        onLaunch: () -> Void
    ) throws(DriverError) -> (server: ReachedServer, client: JackClient) {
        switch choice {
        case .named(let server):
            return (.outside(name: server), try JackClient(server: server, name: name, news: news))
        case .managed:
            return (
                .managed,
                try ReachedServer.managed.reach(managed: managed, name: name, news: news, onLaunch: onLaunch)
            )
        case .automatic:
            do throws(DriverError) {
                return (.outside(name: nil), try JackClient(server: nil, name: name, news: news))
            } catch {
                guard case .noServer = error else { throw error }
                return (
                    .managed,
                    try ReachedServer.managed.reach(managed: managed, name: name, news: news, onLaunch: onLaunch)
                )
            }
        }
    }

    /// What JACK calls it.
    func name(managed: ManagedServer) -> String {
        switch self {
        case .managed: return managed.name
        case .outside(let name?): return name
        case .outside(nil):
            let given = ProcessInfo.processInfo.environment["JACK_DEFAULT_SERVER"] ?? ""
            return given.isEmpty ? "default" : given
        }
    }

    /// Makes a client at this server, starting it if it is the managed one and does not run.
    func reach(
        managed: ManagedServer, name: String, news: ServerNews, onLaunch: () -> Void = {}
    ) throws(DriverError) -> JackClient {
        switch self {
        case .outside(let server):
            try JackClient(server: server, name: name, news: news)
        case .managed:
            try managed.whileRunning(onLaunch: onLaunch) { () throws(DriverError) in
                try JackClient(server: managed.name, name: name, news: news)
            }
        }
    }
}
