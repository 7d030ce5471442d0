import AudioRendering
import AudioSessions
import CProbe
import Foundation
import JackDriver
import Processes

/// A child process with a session that executes commands.
class SessionApp {
    var host: AudioSessionHost?
    private(set) var session: AudioSession?

    /// Executes a command. The words of subclasses come first.
    func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "memory": return [Self.residentKibibytes(), Double(heap_bytes()) / 1_024]
        case "process": return [Double(getpid())]
        case "late": return [Double(late)]
        case "close": close()
        default: throw BenchmarkError("unknown command of the app")
        }
        return []
    }

    static func makeHost(
        _ server: String, _ client: String, inputs: Int? = 0, configuration: AudioEngine.Configuration = .init(),
        arbitration: AudioSessionHost.Arbitration = .inProcess
    ) -> AudioSessionHost {
        AudioSessionHost(
            driver: JackDriver(configuration: .init(server: .named(server), clientName: client, inputs: inputs)),
            configuration: configuration, arbitration: arbitration)
    }

    /// Activates a session.
    func open(
        _ host: AudioSessionHost, category: AudioSession.Category = .playback,
        options: AudioSession.CategoryOptions = []
    ) throws -> AudioSession {
        let session = try AudioSession(host: host)
        try session.setCategory(category, options: options)
        try session.setActive(true)
        (self.host, self.session) = (host, session)
        return session
    }

    func required() throws -> AudioSession {
        guard let session else { throw BenchmarkError("no session is open") }
        return session
    }

    /// How often the server or a client of this process was late.
    var late: Int { (try? session?.engine)?.statistics.xruns ?? 0 }

    func close() {
        try? session?.setActive(false)
        host?.close()
        (session, host) = (nil, nil)
    }

    private static func residentKibibytes() -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_024
    }
}
