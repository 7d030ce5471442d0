import AudioPlayback
import AudioRendering
import AudioSessions
import TestSupport
import Testing

/// A host on the offline driver, a session, and a player of a file whose every frame tells its index.
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
        period: Int = 256
    ) throws {
        directory = try TemporaryDirectory()
        driver = OfflineDriver(sampleRate: Self.rate, channels: 1, periodFrames: period)
        host = AudioSessionHost(driver: driver)
        session = try AudioSession(host: host)
        try session.setCategory(category, mode: mode)
        source = Signal.counting(frames: frames)
        try SoundFile.write([source], sampleRate: Self.rate, to: directory.file("count.wav"))
        player = try AudioPlayer(path: directory.file("count.wav"), session: session)
    }

    /// Another player of the same file in the same session.
    func makePlayer() throws -> AudioPlayer {
        try AudioPlayer(path: directory.file("count.wav"), session: session)
    }

    func render(_ frames: Int) throws -> [Float] {
        host.settle()
        let output = try #require(try driver.render(frames: frames).first)
        host.settle()
        return output
    }

    /// Becomes a device of another rate.
    func change(to rate: Int) {
        driver.setSampleRate(rate)
        host.settle()
    }

    /// The frame of the source that a full-level output sample is.
    func frame(of sample: Float) -> Int { Int((sample * 1_048_576).rounded()) - 1 }
}
