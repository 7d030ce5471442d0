import AVFoundation

final class Podcast: @unchecked Sendable {
    private let session = AVAudioSession.sharedInstance()
    private var observer: NSObjectProtocol?
    var onInterruption: (AVAudioSession.InterruptionType) -> Void = { _ in }

    func prepare() throws {
        try session.setCategory(.playback, mode: .spokenAudio)
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification, object: session, queue: nil
        ) { [weak self] note in
            let value = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
            if let type = value.flatMap(AVAudioSession.InterruptionType.init) { self?.onInterruption(type) }
        }
    }

    func start() throws { try session.setActive(true) }
}
