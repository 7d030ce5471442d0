import AVFoundation
import AudioRendering
import AudioSessions
import TestSupport
import Testing

// How older source written for iOS reads the numbers of a notification.

@Suite("getValue, as older source reads userInfo")
struct GetValueSourceTests {
    /// Unchecked `Sendable`: immutable, and of immutable objects.
    private struct UserInfo: @unchecked Sendable { let values: [AnyHashable: Any] }

    /// Interrupts a session, and returns the `userInfo` of the notifications of the begin and the
    /// end.
    private func interruption() throws -> [[AnyHashable: Any]] {
        let host = AudioSessionHost(
            driver: OfflineDriver(sampleRate: 48_000, channels: 1, inputChannels: 0, periodFrames: 256))
        let session = try AVAudioSession(host: host)
        let posts = EventLog<UserInfo>()
        let token = NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification, object: session, queue: nil
        ) { posts.note(UserInfo(values: $0.userInfo ?? [:])) }
        defer { NotificationCenter.default.removeObserver(token) }
        try session.setCategory(.playback)
        try session.setActive(true)
        try host.beginInterruption()
        try host.endInterruption(shouldResume: true)
        host.settle()
        return posts.noted.map(\.values)
    }

    @Test("INT-2, INT-3: numbers are read into UInt, Int, enumerations and option sets")
    func numbers() throws {
        let posts = try interruption()
        var types: [UInt] = []
        for info in posts {
            // [getValue]
            var type: UInt = 0
            (info[AVAudioSessionInterruptionTypeKey] as? NSValue)?.getValue(&type)
            // [end]
            types.append(type)
        }
        #expect(types == [1, 0])
        let began = try #require(posts.first)
        let ended = try #require(posts.last)
        var number = 99
        (began[AVAudioSessionInterruptionTypeKey] as? NSNumber)?.getValue(&number)
        #expect(number == 1)
        var narrow: UInt32 = 99
        (ended[AVAudioSessionInterruptionOptionKey] as? NSValue)?.getValue(&narrow)
        #expect(narrow == 1)
        var type = AVAudioSession.InterruptionType.ended
        (began[AVAudioSessionInterruptionTypeKey] as? NSValue)?.getValue(&type)
        #expect(type == .began)
        var options: AVAudioSession.InterruptionOptions = []
        (ended[AVAudioSessionInterruptionOptionKey] as? NSValue)?.getValue(&options)
        #expect(options == .shouldResume)
        // The usual ways of reading continue to work on the same values.
        #expect(began[AVAudioSessionInterruptionTypeKey] as? UInt == 1)
        #expect((began[AVAudioSessionInterruptionTypeKey] as? NSNumber)?.uintValue == 1)
    }

    @Test("Booleans, negative and unknown numbers")
    func otherNumbers() {
        var isMuted = false
        (NSNumber(value: true) as NSValue).getValue(&isMuted)
        #expect(isMuted)
        var negative = 0
        (NSNumber(value: -5) as NSValue).getValue(&negative)
        #expect(negative == -5)
        var large: UInt64 = 0
        (NSNumber(value: UInt64.max) as NSValue).getValue(&large)
        #expect(large == .max)
        var type = AVAudioSession.InterruptionType.began
        (NSNumber(value: 7) as NSValue).getValue(&type)
        #expect(type == .began, "an unknown number changes nothing")
    }

    @Test("Values that are no numbers are still read by Foundation")
    func otherValues() {
        var stored = 42
        let value = NSValue(bytes: &stored, objCType: "q")
        var number = 0
        value.getValue(&number)
        #expect(number == 42)
        var bytes = 0
        withUnsafeMutablePointer(to: &bytes) { value.getValue(UnsafeMutableRawPointer($0)) }
        #expect(bytes == 42)
        var range = NSRange()
        NSValue(range: NSRange(location: 3, length: 4)).getValue(&range)
        #expect(range == NSRange(location: 3, length: 4))
    }
}
