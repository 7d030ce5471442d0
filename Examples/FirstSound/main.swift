import AudioPlayback
import AudioSessions
import Foundation

do {
    let session = AudioSession.shared
    try session.setCategory(.playback)  // music: goes on when the silent switch is on
    try session.setPreferredIOBufferDuration(0.005)  // a wish; ioBufferDuration is what came of it

    let player = try AudioPlayer(path: CommandLine.arguments.dropFirst().first ?? "music.ogg")
    let finished = DispatchSemaphore(value: 0)
    player.onFinish { _, _ in finished.signal() }

    try player.play()  // activates the session, starts a server if none runs
    print("\(session.sampleRate) Hz, \(session.ioBufferDuration * 1000) ms, \(session.currentRoute.outputs)")
    finished.wait()
    try session.setActive(false, options: .notifyOthersOnDeactivation)
} catch {
    print(error)
    exit(1)
}
