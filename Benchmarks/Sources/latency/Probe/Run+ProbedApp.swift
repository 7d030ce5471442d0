import Processes
import Servers

extension Run {
    /// Runs a probed app on a server of each kind and period, once for each of `orders`. The server
    /// has loopback ports if its kind supports them. The app closes before the server ends.
    func withProbedApps(
        orders: [String] = [Self.orders[0]], _ body: (_ app: Performer, _ server: Server) throws -> Void
    ) throws {
        for kind in servers {
            let context = try ServerContext(kind)
            for period in periods {
                let server = try Server(
                    kind, period: period, in: context, options: kind == .pipewire ? [] : ["-L", "4"])
                for order in orders {
                    let app = try Performer(ProbedAppPerformer.part, context.environment)
                    try app.ask("open", server.name, kind.rawValue, order)
                    try body(app, server)
                    try app.ask("close")
                }
            }
        }
    }

    /// Whether the app or the reference clients open first, which may determine the order of their
    /// calls.
    static let orders = ["app-last", "app-first"]

    static let probedApp: [String: @Sendable () -> ([String]) throws -> [Double]] = [
        ProbedAppPerformer.part: { ProbedAppPerformer().perform }
    ]
}
