import AudioPlayback
import AudioRendering
import AudioSessions
import SessionArbiter
import TestSupport
import Testing

/// A clock that stands still.
struct StoppedClock: SessionClock {
    var now: Duration { .zero }
    func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) {}
}

/// A host on the offline driver, a session, and a player of a file. The value of each frame of the
/// file is its index.
struct PlaybackFixture {
    static let rate = 48_000
    static let fade = rate * 5 / 1000
    let directory: TemporaryDirectory
    let driver: OfflineDriver
    let host: AudioSessionHost
    let session: AudioSession
    let player: AudioPlayer
    let source: [Float]

    init(
        category: AudioSession.Category = .playback, mode: AudioSession.Mode = .default, frames: Int = 96_000,
        period: Int = 256, clock: (any SessionClock)? = nil
    ) throws {
        directory = try TemporaryDirectory()
        driver = OfflineDriver(sampleRate: Self.rate, channels: 1, periodFrames: period)
        host = AudioSessionHost(driver: driver, settings: ArbiterSettings(), clock: clock)
        session = try AudioSession(host: host)
        try session.setCategory(category, mode: mode)
        source = Signal.counting(frames: frames)
        try SoundFile.write([source], sampleRate: Self.rate, to: directory.file("count.wav"))
        player = try AudioPlayer(path: directory.file("count.wav"), session: session)
    }

    /// Returns another player of the same file in the same session.
    func makePlayer() throws -> AudioPlayer {
        try AudioPlayer(path: directory.file("count.wav"), session: session)
    }

    func render(_ frames: Int) throws -> [Float] {
        host.settle()
        let output = try #require(try driver.render(frames: frames).first)
        host.settle()
        return output
    }

    /// Changes the sample rate of the device.
    func change(to rate: Int) {
        driver.setSampleRate(rate)
        host.settle()
    }

    /// Returns the index of the source frame for a full-level output sample.
    func frame(of sample: Float) -> Int { Int((sample * 1_048_576).rounded()) - 1 }
}
