import Foundation
import TestSupport
import Testing

/// A long recording of many channels, of which every sample is checked.
@Suite("recorder: capacity", .serialized)
struct RecorderCapacityTests {
    static let rate = 96_000
    static let channels = 8

    /// The length of the recording: AUDIO_TEST_RECORDING_SECONDS, or some seconds.
    static var seconds: Int {
        ProcessInfo.processInfo.environment["AUDIO_TEST_RECORDING_SECONDS"].flatMap { Int($0) }
            ?? TestLength.times(8, long: 60)
    }

    @Test("PLAY-2: 8 channels at 96 kHz are recorded without a lost frame")
    func frames() throws {
        let stage = try RecorderStage(channels: Self.channels, rate: Self.rate, length: 1 << 20)
        let (seconds, frames) = (Self.seconds, Self.seconds * Self.rate)
        let run = try stage.start(["--channels", "\(Self.channels)", "--duration", "\(seconds)"])
        let result = try stage.finish(run, within: Double(seconds) * 1.5 + 60)
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(result.frames == [frames])
        // On a busy machine, the server itself may have xruns.
        let xruns = result.xruns(in: stage.file("take.wav"))
        #expect(result.all("gap").count == xruns.count)
        #expect(result.all("ended").first?["lostFrames"] as? Int == xruns.reduce(0) { $0 + $1.count })
        #expect(result.all("file").first?["channels"] as? Int == Self.channels)
        try stage.expectComplete(stage.file("take.wav"), of: result, frames: frames, rate: Self.rate)
    }
}
