import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import Processes
import Servers
import Synchronization

/// An app that executes commands.
final class App {
    static let clientName = "session-app"
    /// The name of the part that performs it.
    static let part = "app"

    private var host: AudioSessionHost?
    private var session: AudioSession?
    private var voice: Voice?
    private var signal: ServerMonitor?

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "cold": return try activateCold(server: words[1], words[2])
        case "open": try open(server: words[1], words[2])
        case "warm": return try activateWarm(rounds: Int(words[1]) ?? 0)
        case "play": try play()
        case "lost": return try awaitLoss()
        case "back": return try awaitReturn()
        case "close": close()
        default: throw BenchmarkError("unknown command of the app")
        }
        return []
    }

    private func make(_ server: String, _ arbitration: String) throws -> (AudioSessionHost, AudioSession) {
        let host = AudioSessionHost(
            driver: JackDriver(configuration: .init(server: .named(server), clientName: Self.clientName, inputs: nil)),
            arbitration: arbitration == Arbitration.service.rawValue ? .automatic : .inProcess)
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        return (host, session)
    }

    /// Returns the milliseconds for activating, deactivating, and closing the host.
    private func activateCold(server: String, _ arbitration: String) throws -> [Double] {
        let (host, session) = try make(server, arbitration)
        let activation = try milliseconds { try session.setActive(true) }
        guard session.isActive, host.format != nil else { throw BenchmarkError("the session is not active") }
        let deactivation = try milliseconds { try session.setActive(false) }
        let closing = milliseconds { host.close() }
        return [activation, deactivation, closing]
    }

    private func open(server: String, _ arbitration: String) throws {
        let (host, session) = try make(server, arbitration)
        try session.setActive(true)
        (self.host, self.session) = (host, session)
        signal = ServerMonitor(session)
    }

    /// Returns the milliseconds of each activation and of the deactivation before it, alternately.
    private func activateWarm(rounds: Int) throws -> [Double] {
        guard let session else { throw BenchmarkError("no session is open") }
        return try (0..<rounds).flatMap { _ in
            let deactivation = try milliseconds { try session.setActive(false) }
            let activation = try milliseconds { try session.setActive(true) }
            guard session.isActive else { throw BenchmarkError("the session is not active") }
            return [activation, deactivation]
        }
    }

    /// Plays a sound that counts its frames, in a loop.
    private func play() throws {
        guard let session else { throw BenchmarkError("no session is open") }
        let count = 1 << 20
        let samples = (1...count).map { Float($0) / Float(count) }
        voice = try session.engine.play(
            .buffer(try AudioBuffer([samples, samples]), loop: .forever), on: session.bus)
    }

    /// Waits for the notification of the loss. Returns its time in nanoseconds, and the frames
    /// played until then.
    private func awaitLoss() throws -> [Double] {
        guard let signal, let voice else { throw BenchmarkError("nothing plays") }
        let time = try signal.await(\.lost, "the server's end")
        return [time, Double(voice.framesRendered)]
    }

    /// Waits for the notification of the return. Returns its time.
    private func awaitReturn() throws -> [Double] {
        guard let signal else { throw BenchmarkError("no session is open") }
        let time = try signal.await(\.back, "the server's return")
        signal.forget()
        return [time]
    }

    private func close() {
        try? session?.setActive(false)
        host?.close()
        (voice, signal, session, host) = (nil, nil, nil, nil)
    }
}

/// Records when a session was notified of its server's end and return.
private final class ServerMonitor {
    struct Times {
        var lost: UInt64?
        var back: UInt64?
    }
    private final class Reported: Sendable {
        let times = Mutex(Times())
        let signal = DispatchSemaphore(value: 0)
    }
    private let reported = Reported()
    private var tokens: [any NSObjectProtocol] = []

    init(_ session: AudioSession) {
        observe(session, AudioSession.mediaServicesWereLostNotification) { $0.lost = $1 }
        observe(session, AudioSession.mediaServicesWereResetNotification) { $0.back = $1 }
    }

    deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

    private func observe(
        _ session: AudioSession, _ name: NSNotification.Name, _ note: @escaping @Sendable (inout Times, UInt64) -> Void
    ) {
        tokens.append(
            NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { [reported] _ in
                let time = now()
                reported.times.withLock { note(&$0, time) }
                reported.signal.signal()
            })
    }

    func await(_ key: KeyPath<Times, UInt64?>, _ what: String) throws -> Double {
        let limit = DispatchTime.now() + .seconds(20)
        while true {
            let times = reported.times.withLock { $0 }
            if let time = times[keyPath: key] { return Double(time) }
            guard reported.signal.wait(timeout: limit) == .success else {
                throw BenchmarkError("\(what) was not notified within 20 s")
            }
        }
    }

    func forget() { reported.times.withLock { $0 = Times() } }
}
