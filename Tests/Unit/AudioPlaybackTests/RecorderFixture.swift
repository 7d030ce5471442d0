import AudioPlayback
import AudioRendering
import AudioSessions
import SessionArbiter
import TestSupport
import Testing

/// A host on the offline driver, a session with input, and a recorder. The sample of each frame of
/// the input is the frame's time on the engine's clock, so that a file shows when its frames were
/// recorded.
final class RecorderFixture {
    static let rate = 48_000
    /// Frames of the fade when an input starts.
    static let fade = 240
    let directory: TemporaryDirectory
    let driver: OfflineDriver
    let host: AudioSessionHost
    let session: AudioSession
    let recorder: AudioRecorder
    let events = EventLog<AudioRecorder.Event>()
    private let channels: Int
    private var time = 0

    init(
        file: String = "take.wav", channels: Int = 1, rate: Int = RecorderFixture.rate,
        configuration: AudioRecorder.Configuration = AudioRecorder.Configuration(),
        settings: ArbiterSettings = ArbiterSettings()
    ) throws {
        directory = try TemporaryDirectory()
        driver = OfflineDriver(sampleRate: rate, channels: 1, inputChannels: channels, periodFrames: 256)
        host = AudioSessionHost(driver: driver, settings: settings)
        host.setRecordPermission(.granted)
        session = try AudioSession(host: host)
        try session.setCategory(.playAndRecord)
        self.channels = channels
        recorder = try AudioRecorder(
            path: directory.file(file), session: session, configuration: configuration)
        recorder.onEvent { [events] event in events.note(event) }
    }

    /// Returns a sample that states a time, exact for 2^24 frames.
    static func sample(_ time: Int) -> Float { Float(time) / 16_777_216 }

    /// The time that a sample states.
    static func time(of sample: Float) -> Int { Int((sample * 16_777_216).rounded()) }

    /// Renders frames of the input, or of `silent` input. Channel n is shifted by n times 1,000
    /// frames.
    func render(_ frames: Int, silent: Bool = false) throws {
        host.settle()
        let planes = (0..<channels).map { channel in
            (0..<frames).map { silent ? 0 : Self.sample(time + $0 + channel * 1_000) }
        }
        _ = try driver.render(frames: frames, inputs: planes)
        time += frames
        host.settle()
    }

    /// Renders frames of noise, which compresses badly.
    func renderNoise(_ frames: Int) throws {
        let planes = (0..<channels).map { _ in (0..<frames).map { _ in Float.random(in: -0.5...0.5) } }
        _ = try driver.render(frames: frames, inputs: planes)
        time += frames
    }

    /// The engine's clock.
    var engineFrame: UInt64 { (try? session.engine.currentFrame) ?? 0 }

    /// The time of the next frame.
    var now: Int { time }

    /// Returns the samples of a channel of a file.
    func samples(_ file: AudioRecorder.File, channel: Int = 0) throws -> [Float] {
        let (planes, rate) = try SoundFile.read(file.path.description)
        #expect(rate == file.sampleRate && planes.count == file.channels && planes[0].count == file.frames)
        return planes[channel]
    }

    /// Describes the first sample that does not state the next time of `times`, or returns nil if
    /// all do. Skips the fades of inputs that start, at the given frames of the file.
    func difference(
        _ samples: [Float], _ times: [Range<Int>], fadesAt fades: [Int] = [0], channel: Int = 0
    ) -> String? {
        let expected = times.flatMap { Array($0) }
        guard samples.count == expected.count else { return "\(samples.count) frames are not \(expected.count)" }
        let wrong = samples.indices.first { index in
            !fades.contains { ($0..<($0 + Self.fade)).contains(index) }
                && samples[index] != Self.sample(expected[index] + channel * 1_000)
        }
        return wrong.map { "frame \($0): \(Self.time(of: samples[$0])) is not \(expected[$0])" }
    }
}
