import AVFoundation
import Testing

@Suite struct ReadmeSourceTests {
    @Test("The README's source for iOS observes interruptions, and imports only AVFoundation")
    func podcast() throws {
        let podcast = Podcast()
        var types: [AVAudioSession.InterruptionType] = []
        podcast.onInterruption = { types.append($0) }
        try podcast.prepare()
        let session = AVAudioSession.sharedInstance()
        #expect(session.mode == .spokenAudio)
        NotificationCenter.default.post(
            name: AVAudioSession.interruptionNotification, object: session,
            userInfo: [AVAudioSessionInterruptionTypeKey: AVAudioSession.InterruptionType.began.rawValue])
        #expect(types == [.began])
        try session.setCategory(.soloAmbient)
    }
}
