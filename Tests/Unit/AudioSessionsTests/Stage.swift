import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter
import TestSupport
import Testing

/// A host on the offline driver, mono, so that a test is the render thread and knows every frame.
struct Stage {
    let driver: OfflineDriver
    let host: AudioSessionHost

    init(
        settings: ArbiterSettings = ArbiterSettings(), channels: Int = 1, inputChannels: Int = 1,
        clock: (any SessionClock)? = nil
    ) {
        driver = OfflineDriver(
            sampleRate: 48_000, channels: channels, inputChannels: inputChannels, periodFrames: 256)
        host = AudioSessionHost(driver: driver, settings: settings, clock: clock)
    }

    func session(
        _ category: AudioSession.Category? = nil, mode: AudioSession.Mode = .default,
        options: AudioSession.CategoryOptions = []
    ) throws -> AudioSession {
        let session = try AudioSession(host: host)
        if let category { try session.setCategory(category, mode: mode, options: options) }
        return session
    }

    /// Plays `samples` in a session, from the next period on.
    @discardableResult
    func play(_ samples: [Float], in session: AudioSession) throws -> Voice {
        let buffer = try AudioBuffer([samples])
        return try session.engine.play(.buffer(buffer), on: session.bus)
    }

    func render(_ frames: Int) throws -> [Float] { try #require(try driver.render(frames: frames).first) }

    /// Returns when all that was decided so far has been told.
    func drain() throws { try #require(host.arbiter as? InProcessArbiter).drain() }
}

/// A driver that fails on demand, and says what a server would.
final class FaultyDriver: RenderDriver {
    let inner = OfflineDriver(channels: 1)
    let openFailure = Locked<DriverError?>(nil)
    let startFailure = Locked<DriverError?>(nil)
    /// What it has, without a word of it.
    let seen = Locked<[HardwareDevice]?>(nil)
    private let handler = Locked<@Sendable (DriverEvent) -> Void>({ _ in })

    func tell(_ event: DriverEvent) { handler.withLock { $0 }(event) }

    func open(core: RenderCore) throws(DriverError) -> HardwareFormat {
        if let failure = openFailure.withLock({ $0 }) { throw failure }
        return try inner.open(core: core)
    }

    func start() throws(DriverError) {
        if let failure = startFailure.withLock({ $0 }) { throw failure }
        try inner.start()
    }

    func stop() { inner.stop() }
    func close() { inner.close() }
    var format: HardwareFormat? { inner.format }
    var isRendering: Bool { inner.isRendering }
    func requestPeriod(frames: Int) throws(DriverError) -> Int { try inner.requestPeriod(frames: frames) }
    var statistics: DriverStatistics { inner.statistics }
    var devices: [HardwareDevice]? { seen.withLock { $0 } }
    func connect(_ port: String) throws(DriverError) -> Range<Int> { 0..<1 }
    func setPrepareHandler(_ handler: @escaping @Sendable () -> Void) { inner.setPrepareHandler(handler) }

    func setEventHandler(_ handler: @escaping @Sendable (DriverEvent) -> Void) {
        self.handler.withLock { $0 = handler }
        inner.setEventHandler(handler)
    }
}

/// Listens to a notification of one session, until let go.
final class Listener: @unchecked Sendable {
    // Immutable after init but for the token, which only init and deinit touch.
    let heard = Signpost<[String: NSNumber]>()
    private var token: (any NSObjectProtocol)?

    init(_ name: NSNotification.Name, of session: AudioSession) {
        token = NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { [heard] note in
            var numbers: [String: NSNumber] = [:]
            for (key, value) in note.userInfo ?? [:] {
                if let key = key as? String, let value = value as? NSNumber { numbers[key] = value }
            }
            heard.note(numbers)
        }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }
}
