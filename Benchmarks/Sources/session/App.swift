import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import Processes
import Servers
import Synchronization

/// An app that does as it is told.
final class App {
    static let clientName = "session-app"
    /// How the part is called that performs it.
    static let part = "app"

    private var host: AudioSessionHost?
    private var session: AudioSession?
    private var voice: Voice?
    private var news: ServerNews?

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "cold": return try activateCold(server: words[1], words[2])
        case "open": try open(server: words[1], words[2])
        case "warm": return try activateWarm(rounds: Int(words[1]) ?? 0)
        case "play": try play()
        case "lost": return try awaitLoss()
        case "back": return try awaitReturn()
        case "close": close()
        default: throw BenchmarkError("an app knows no such word")
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

    /// Milliseconds of activating, of deactivating, and of giving the server up.
    private func activateCold(server: String, _ arbitration: String) throws -> [Double] {
        let (host, session) = try make(server, arbitration)
        let activation = try milliseconds { try session.setActive(true) }
        guard session.isActive, host.format != nil else { throw BenchmarkError("nothing was activated") }
        let deactivation = try milliseconds { try session.setActive(false) }
        let closing = milliseconds { host.close() }
        return [activation, deactivation, closing]
    }

    private func open(server: String, _ arbitration: String) throws {
        let (host, session) = try make(server, arbitration)
        try session.setActive(true)
        (self.host, self.session) = (host, session)
        news = ServerNews(session)
    }

    /// Milliseconds of each activation, and of the deactivation before it, by turns.
    private func activateWarm(rounds: Int) throws -> [Double] {
        guard let session else { throw BenchmarkError("no session is open") }
        return try (0..<rounds).flatMap { _ in
            let deactivation = try milliseconds { try session.setActive(false) }
            let activation = try milliseconds { try session.setActive(true) }
            guard session.isActive else { throw BenchmarkError("nothing was activated") }
            return [activation, deactivation]
        }
    }

    /// Plays what counts the frames, over and over.
    private func play() throws {
        guard let session else { throw BenchmarkError("no session is open") }
        let count = 1 << 20
        let samples = (1...count).map { Float($0) / Float(count) }
        voice = try session.engine.play(
            .buffer(try AudioBuffer([samples, samples]), loop: .forever), on: session.bus)
    }

    /// When the loss was told, in nanoseconds, and how many frames had been played by then.
    private func awaitLoss() throws -> [Double] {
        guard let news, let voice else { throw BenchmarkError("nothing plays") }
        let time = try news.await(\.lost, "the server's end")
        return [time, Double(voice.framesRendered)]
    }

    /// When the return was told.
    private func awaitReturn() throws -> [Double] {
        guard let news else { throw BenchmarkError("no session is open") }
        let time = try news.await(\.back, "the server's return")
        news.forget()
        return [time]
    }

    private func close() {
        try? session?.setActive(false)
        host?.close()
        (voice, news, session, host) = (nil, nil, nil, nil)
    }
}

/// When a session was told that its server has died, and is back.
private final class ServerNews {
    struct Times {
        var lost: UInt64?
        var back: UInt64?
    }
    private final class Told: Sendable {
        let times = Mutex(Times())
        let news = DispatchSemaphore(value: 0)
    }
    private let told = Told()
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
            NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { [told] _ in
                let time = now()
                told.times.withLock { note(&$0, time) }
                told.news.signal()
            })
    }

    func await(_ key: KeyPath<Times, UInt64?>, _ what: String) throws -> Double {
        let limit = DispatchTime.now() + .seconds(20)
        while true {
            let times = told.times.withLock { $0 }
            if let time = times[keyPath: key] { return Double(time) }
            guard told.news.wait(timeout: limit) == .success else {
                throw BenchmarkError("\(what) was not told within 20 s")
            }
        }
    }

    func forget() { told.times.withLock { $0 = Times() } }
}
