import Processes
import Servers

extension Run {
    /// Has a probed app at a server of each kind and period, once for each of `orders`. The server has loopback ports where there is such a thing;
    /// the app leaves before it does.
    func withProbedApps(
        orders: [String] = [Self.orders[0]], _ body: (_ app: Performer, _ server: Server) throws -> Void
    ) throws {
        for kind in servers {
            let place = try ServerPlace(kind)
            for period in periods {
                let server = try Server(
                    kind, period: period, in: place, options: kind == .pipewire ? [] : ["-L", "4"])
                for order in orders {
                    let app = try Performer(ProbedAppPerformer.part, place.environment)
                    try app.ask("open", server.name, kind.rawValue, order)
                    try body(app, server)
                    try app.ask("close")
                }
            }
        }
    }

    /// Who is opened first, the app or the clients beside it, which may decide who is called first.
    static let orders = ["app-last", "app-first"]

    static let probedApp: [String: @Sendable () -> ([String]) throws -> [Double]] = [
        ProbedAppPerformer.part: { ProbedAppPerformer().perform }
    ]
}
