import AudioPlayback
import AudioRendering
import AudioSessions
import SessionArbiter
import TestSupport
import Testing

/// A host on an offline driver of two channels, with a session in playback.
struct StereoFixture {
    static let rate = 48_000
    static let fade = rate * 5 / 1000
    let directory: TemporaryDirectory
    let driver: OfflineDriver
    let host: AudioSessionHost
    let session: AudioSession

    init(period: Int = 256) throws {
        directory = try TemporaryDirectory()
        driver = OfflineDriver(sampleRate: Self.rate, channels: 2, periodFrames: period)
        host = AudioSessionHost(driver: driver, settings: ArbiterSettings())
        session = try AudioSession(host: host)
        try session.setCategory(.playback)
    }

    /// Renders frames; one array for each channel.
    func render(_ frames: Int) throws -> [[Float]] {
        host.settle()
        let output = try driver.render(frames: frames)
        host.settle()
        return output
    }

    /// Writes a file, and returns its source.
    func file(_ name: String, _ planes: [[Float]], rate: Int = StereoFixture.rate) throws -> PlaybackSource {
        try SoundFile.write(planes, sampleRate: rate, to: directory.file(name))
        return .file(directory.file(name))
    }

    func queue() throws -> AudioQueuePlayer { try AudioQueuePlayer(session: session, random: Dice()) }
}

/// A reproducible generator.
struct Dice: RandomNumberGenerator, Sendable {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
