internal import CSessionSocket
internal import Dispatch
internal import Foundation
internal import Platform
public import SessionArbiter
public import SessionPolicy

/// The arbiter that runs, or is made to: the one place where the commands reach it.
public struct LiveArbiter: ArbiterDesk {
    public let place: String
    private let connection: ArbiterConnection

    /// Connects; `starting` begins an arbiter where none listens.
    public init(
        starting: Bool, receive: @escaping @Sendable (ArbiterMessage) -> Void = { _ in },
        ended: @escaping @Sendable () -> Void = {}
    ) throws(SwitchboardError) {
        do throws(ArbiterError) {
            let address = try ArbiterAddress.standard()
            place = address.path
            connection =
                starting
                ? try ArbiterLaunch(address: address).connect(hello: .init(), receive: receive, ended: ended)
                : try ArbiterConnection(address, receive: receive, ended: ended)
        } catch {
            throw SwitchboardError(error)
        }
    }

    public func ask(_ request: ClientMessage.Request) throws(RequestError) -> Reply { try connection.request(request) }

    /// Now, on the arbiter's clock: both are of one machine.
    public static var now: EventTime { EventTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    /// Looks for an arbiter, and starts none.
    public static func look() -> Machine.ArbiterSight {
        let path: String
        do throws(ArbiterError) {
            path = try ArbiterAddress.standard().path
        } catch {
            return .silent(reason: error.description)
        }
        let socket = ssocket_connect(path, 1_000)
        switch -socket {
        case ENOENT: return .absent(path: path)
        case ECONNREFUSED: return .stale(path: path)
        case ...0: close(socket)
        case let code: return .silent(reason: "'\(path)' cannot be reached: \(String(cString: strerror(code)))")
        }
        do throws(SwitchboardError) {
            var report = try LiveArbiter(starting: false).report()
            // Whoever looks is not what is looked at.
            report.clients.removeAll { $0.process == getpid() }
            return .running(report, path: path)
        } catch {
            return .silent(reason: error.description)
        }
    }
}
