internal import CSessionSocket
internal import Dispatch
internal import Foundation
internal import Platform
public import SessionArbiter
public import SessionPolicy

/// A connection to the running arbiter, which it can start. All commands connect through this type.
public struct SocketArbiterClient: ArbiterClient {
    public let socketPath: String
    private let connection: ArbiterConnection

    /// Connects to the arbiter; with `starting`, starts one if none is listening.
    public init(
        starting: Bool, receive: @escaping @Sendable (ArbiterMessage) -> Void = { _ in },
        ended: @escaping @Sendable () -> Void = {}
    ) throws(CommandError) {
        do throws(ArbiterError) {
            let address = try ArbiterAddress.standard()
            socketPath = address.path
            connection =
                starting
                ? try ArbiterLaunch(address: address).connect(hello: .init(), receive: receive, ended: ended)
                : try ArbiterConnection(address, receive: receive, ended: ended)
        } catch {
            throw CommandError(error)
        }
    }

    public func ask(_ request: ClientMessage.Request) throws(RequestError) -> Reply { try connection.request(request) }

    /// The current time on the arbiter's clock, which is the clock of this machine.
    public static var now: EventTime { EventTime(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    /// Looks for an arbiter without starting one, and requests its report.
    public static func look() -> ArbiterProbe {
        let address: ArbiterAddress
        do throws(ArbiterError) {
            address = try ArbiterAddress.standard()
        } catch {
            let isFolderMissing = (try? RuntimeFolder.path()) == nil
            return isFolderMissing ? .noFolder(reason: error.description) : .unreachable(reason: error.description)
        }
        let probe = look(at: address)
        guard case .withoutSocket = probe else { return probe }
        // An arbiter that starts, or makes its socket again, listens a moment later.
        poll(nil, 0, 500)
        return look(at: address)
    }

    private static func look(at address: ArbiterAddress) -> ArbiterProbe {
        let path = address.path
        // A descriptor, or a negative error code. This connection only tests whether a process is
        // listening.
        let socket = ssocket_connect(path, 1_000)
        switch -socket {
        case ENOENT, ECONNREFUSED:
            let holders = FileLock.possibleHolders(of: address.runningLock)
            if let holder = holders.first(where: { ProgramProcess.runs(.service, in: $0) }) {
                return .withoutSocket(path: path, process: holder)
            }
            return -socket == ENOENT ? .absent(path: path) : .stale(path: path)
        case ...0: close(socket)
        case let code: return .unreachable(reason: "'\(path)' cannot be reached: \(String(cString: strerror(code)))")
        }
        do throws(CommandError) {
            var report = try SocketArbiterClient(starting: false).report()
            // This process does not count as a client.
            report.clients.removeAll { $0.process == getpid() }
            return .running(report, path: path)
        } catch {
            return .unreachable(reason: error.description)
        }
    }
}

/// The result of looking for the arbiter.
public enum ArbiterProbe: Sendable {
    /// The socket does not exist: no arbiter is running.
    case absent(path: String)
    /// The socket exists, but no process listens on it.
    case stale(path: String)
    /// A process holds the lock of an arbiter, but no process listens on the socket.
    case withoutSocket(path: String, process: Int32)
    case running(ArbiterReport, path: String)
    /// There is no private folder for a socket.
    case noFolder(reason: String)
    /// The socket cannot be reached, or the listening process does not respond as expected.
    case unreachable(reason: String)
}
