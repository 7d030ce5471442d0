import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import SessionArbiter

// Records until it is killed, or the recording ends: `recording-helper FILE COUNTER SPEED`.
//
// At speed 1, the input delivers frames in real time. The sample of each frame states its time; the
// 8 bytes of the file COUNTER state how many frames the input has delivered so far. When the
// recording ends, prints why, and how many frames the file has.

guard CommandLine.arguments.count == 4, let speed = Double(CommandLine.arguments[3]) else {
    print("usage: recording-helper FILE COUNTER SPEED")
    exit(64)
}
let (path, counterPath) = (CommandLine.arguments[1], CommandLine.arguments[2])
// Opus compresses a ramp to next to nothing.
let isNoise = path.hasSuffix(".opus")
let rate = 48_000
let driver = OfflineDriver(sampleRate: rate, channels: 1, inputChannels: 1, periodFrames: 480)
let host = AudioSessionHost(driver: driver, settings: ArbiterSettings())
host.setRecordPermission(.granted)
let session = try AudioSession(host: host)
try session.setCategory(.playAndRecord)
let recorder = try AudioRecorder(path: path, session: session)
recorder.onEvent { event in
    guard case .ended(let recording) = event else { return }
    print("\(recording.files.map(\.frames)) \(recording.ending)")
    exit(0)
}
let counter = open(counterPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
try recorder.record()
let begin = ContinuousClock.now
var time = 0
while true {
    poll(nil, 0, 10)  // the pace of the input
    let elapsed = begin.duration(to: .now).components
    let due = Int((Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18) * Double(rate) * speed)
    let times = time..<max(time, due)
    let samples = isNoise ? times.map { _ in Float.random(in: -0.5...0.5) } : times.map { Float($0) / 16_777_216 }
    _ = try driver.render(frames: samples.count, inputs: [samples])
    time += samples.count
    var value = UInt64(time)
    pwrite(counter, &value, 8, 0)
}
