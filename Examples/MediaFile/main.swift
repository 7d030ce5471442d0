import AudioDecoding
import AudioPlayback
import AudioSessions
import Foundation

guard let path = CommandLine.arguments.dropFirst().first else {
    print("usage: MediaFile FILE; plays any media file that libsndfile or FFmpeg decodes")
    exit(64)
}
do {
    let session = AudioSession.shared
    try session.setCategory(.playback)
    let player = try AudioPlayer(.media(path), session: session)
    let finished = DispatchSemaphore(value: 0)
    player.onFinish { _, ending in
        print(ending)
        finished.signal()
    }
    try player.play()
    print("\(path): \(player.formatDescription)")
    finished.wait()
    try session.setActive(false, options: .notifyOthersOnDeactivation)
} catch {
    print(error)
    exit(1)
}
