import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// The service, which other apps use, and whether an app that joins can find it.
final class JoinStage: Sendable {
    static let rate = 48_000
    static let period = 256
    static let fade = rate * 5 / 1000
    let service: ServiceEnvironment
    let source: [Float]
    private let isReachable = Mutex(false)

    init() throws {
        service = try ServiceEnvironment()
        source = Signal.counting(frames: 20 * Self.rate)
        try SoundFile.write([source], sampleRate: Self.rate, to: file)
    }

    fileprivate var file: String { service.directory.file("count.wav") }

    /// From now on, apps that look for the service find it.
    func makeReachable() { isReachable.withLock { $0 = true } }

    fileprivate func address() throws(ArbiterError) -> ArbiterAddress {
        guard isReachable.withLock({ $0 }) else { throw .unavailable("its folder cannot be used") }
        return try ArbiterAddress(path: service.socket)
    }

    /// An app that the service arbitrates from the beginning. The first one starts the service
    /// with the folders of the test: those of this process are the user's.
    func makeApp() throws -> JoinApp {
        try service.startService()
        return JoinApp(self, try RemoteArbiter(at: try ArbiterAddress(path: service.socket)))
    }

    /// The arbiter of an app that has not found the service.
    func makeJoiningArbiter(
        pauses: ClosedRange<Double> = 0.02...0.02
    ) -> (arbiter: JoiningArbiter, joined: EventLog<ArbiterAddress>) {
        let joined = EventLog<ArbiterAddress>()
        let arbiter = JoiningArbiter(at: { [self] () throws(ArbiterError) in try address() }, pauses: pauses) {
            joined.note($0)
        }
        return (arbiter, joined)
    }

    /// An app that has not found the service.
    func makeLoner() -> (app: JoinApp, joined: EventLog<ArbiterAddress>) {
        let (arbiter, joined) = makeJoiningArbiter()
        return (JoinApp(self, arbiter), joined)
    }
}

/// An app on the offline driver.
final class JoinApp {
    let stage: JoinStage
    let driver: OfflineDriver
    let host: AudioSessionHost

    init(_ stage: JoinStage, _ arbiter: any SessionArbiter) {
        self.stage = stage
        driver = Self.makeDriver()
        host = AudioSessionHost(driver: driver, arbiter: arbiter)
    }

    static func makeDriver() -> OfflineDriver {
        OfflineDriver(sampleRate: JoinStage.rate, channels: 1, inputChannels: 1, periodFrames: JoinStage.period)
    }

    func session(_ options: AudioSession.CategoryOptions = []) throws -> AudioSession {
        let session = try AudioSession(host: host)
        try session.setCategory(.playback, options: options)
        return session
    }

    /// Plays the counting file in a session.
    func play(in session: AudioSession) throws -> AudioPlayer {
        let player = try AudioPlayer(path: AudioFilePath(stage.file), session: session)
        try player.play()
        return player
    }

    func render(_ frames: Int) throws -> [Float] {
        host.settle()
        return try #require(try driver.render(frames: frames).first)
    }
}

/// The events of a session, as its app receives them.
final class EventRecorder: Sendable {
    let heard = EventLog<AudioSessionEvent>()
    private let task: Task<Void, Never>

    init(_ session: AudioSession) {
        let events = session.events
        task = Task { [heard] in for await event in events { heard.note(event) } }
    }

    deinit { task.cancel() }

    /// The interruptions and changes of activity.
    var interruptions: [AudioSessionEvent] {
        heard.noted.filter {
            switch $0 {
            case .interruptionBegan, .interruptionEnded, .becameActive, .becameInactive, .activationGranted: true
            default: false
            }
        }
    }
}
