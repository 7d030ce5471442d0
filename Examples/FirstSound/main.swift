import AudioPlayback
import AudioSessions
import Foundation

do {
    let session = AudioSession.shared
    try session.setCategory(.playback)  // music: continues when the silent switch is on
    try session.setPreferredIOBufferDuration(0.005)  // a request; ioBufferDuration is the result

    let player = try AudioPlayer(path: CommandLine.arguments.dropFirst().first ?? "music.ogg")
    let finished = DispatchSemaphore(value: 0)
    player.onFinish { _, _ in finished.signal() }

    try player.play()  // activates the session; starts a JACK server if none is running
    print("\(session.sampleRate) Hz, \(session.ioBufferDuration * 1000) ms, \(session.currentRoute.outputs)")
    finished.wait()
    try session.setActive(false, options: .notifyOthersOnDeactivation)
} catch {
    print(error)
    exit(1)
}
