import AVFoundation
import Testing

// How apps written for iOS use the session. The main test is that this file compiles.

/// Apps define their own protocol for the session, so that their tests can replace it: an empty
/// conformance must suffice.
private protocol SessionProtocol {
    var category: AVAudioSession.Category { get }
    var mode: AVAudioSession.Mode { get }
    var categoryOptions: AVAudioSession.CategoryOptions { get }
    var sampleRate: Double { get }
    var ioBufferDuration: TimeInterval { get }
    var outputVolume: Float { get }
    var currentRoute: AVAudioSessionRouteDescription { get }
    var preferredSampleRate: Double { get }
    var isOtherAudioPlaying: Bool { get }
    func setCategory(_ category: AVAudioSession.Category) throws
    func setCategory(
        _ category: AVAudioSession.Category, mode: AVAudioSession.Mode, options: AVAudioSession.CategoryOptions) throws
    func setActive(_ active: Bool, options: AVAudioSession.SetActiveOptions) throws
    func setPreferredSampleRate(_ sampleRate: Double) throws
    func setPreferredIOBufferDuration(_ duration: TimeInterval) throws
}
extension AVAudioSession: SessionProtocol {}

/// Their mocks inherit from the descriptions.
private final class MockRoute: AVAudioSessionRouteDescription, @unchecked Sendable {
    override var outputs: [AVAudioSessionPortDescription] { [] }
}
private final class HeadphonesRoute: AVAudioSessionRouteDescription, @unchecked Sendable {
    override init() { super.init() }
    override var outputs: [AVAudioSessionPortDescription] { [MockPort()] }
}
private final class MockPort: AVAudioSessionPortDescription, @unchecked Sendable {
    override init() { super.init() }
    override var portType: AVAudioSession.Port { .headphones }
    override var hasHardwareVoiceCallProcessing: Bool { true }
    override var isSpatialAudioEnabled: Bool { true }
    override func setPreferredDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {}
}

/// An app's own type of this name is not ambiguous: the module provides only names with the prefix.
private enum AudioSession { case foreground, background }
private enum AudioApplication { case music }

/// A protocol that a Swift 6 app replaces the session by in its tests.
private protocol RecordPermissionProviding {
    func requestRecordPermission(_ response: @escaping (Bool) -> Void)
}
@available(*, deprecated, message: "tests the older shape")
extension AVAudioSession: RecordPermissionProviding {}

@Suite("Source written for iOS")
struct SessionSourceTests {
    @Test("CAT-1, CAT-6: the shared session is configured as on iOS, without a server")
    func configure() throws {
        let session = AVAudioSession.sharedInstance()
        #expect(session === AVAudioSession.sharedInstance())
        try session.setCategory(.playAndRecord, mode: .voiceChat, options: [.allowBluetooth])
        #expect(session.category == .playAndRecord)
        #expect(session.mode == .voiceChat)
        #expect(session.categoryOptions.contains(.allowBluetoothHFP))
        try session.setCategory(.soloAmbient)
        #expect(session.mode == .default)
        #expect(session.categoryOptions == [])
        #expect((session as any SessionProtocol).category == .soloAmbient)
    }

    @Test("Apps have types of their own with the library's names, and subclasses of the descriptions")
    func namesAndMocks() throws {
        #expect(AudioSession.foreground != .background && AudioApplication.music == .music)
        let route = HeadphonesRoute()
        #expect(route.outputs.first?.portType == .headphones && route.outputs.first?.isSpatialAudioEnabled == true)
        #expect(AVAudioSessionPortDescription().channels?.isEmpty == true)
        #expect(AVAudioSessionChannelDescription().channelName.isEmpty)
        let session = AVAudioSession()
        #expect(session !== AVAudioSession.sharedInstance() && session.category == .soloAmbient)
        try session.setCategory(.playback)
    }

    @Test("Requests for features of Apple hardware are stored, and have no effect")
    func appleRequests() throws {
        let session = AVAudioSession()
        try session.setAllowHapticsAndSystemSoundsDuringRecording(true)
        try session.setPrefersEchoCancelledInput(true)
        try session.setPreferredInputOrientation(.landscapeLeft)
        #expect(session.allowHapticsAndSystemSoundsDuringRecording && session.prefersEchoCancelledInput)
        #expect(session.preferredInputOrientation == .landscapeLeft && session.inputOrientation == .none)
        #expect(!session.isEchoCancelledInputEnabled)
        try session.setAllowHapticsAndSystemSoundsDuringRecording(false)
        #expect(!session.allowHapticsAndSystemSoundsDuringRecording)
    }

    @Test("OPT-3: an error is an NSError with AVAudioSession's code")
    func errors() {
        do {
            try AVAudioSession.sharedInstance().setCategory(.ambient, options: .defaultToSpeaker)
            Issue.record("an unsuitable option was accepted")
        } catch let error as NSError {
            #expect(error.code == AVAudioSession.ErrorCode.badParam.rawValue)
            #expect(error.domain == "NSOSStatusErrorDomain")
            #expect(error.localizedDescription.contains("defaultToSpeaker"))
        }
    }

    @Test("An interruption handler as apps write it")
    func interruptionHandler() {
        // A notification as the library posts it, unpacked as in every tutorial.
        let notification = Notification(
            name: AVAudioSession.interruptionNotification, object: nil,
            userInfo: [
                AVAudioSessionInterruptionTypeKey: NSNumber(value: AVAudioSession.InterruptionType.ended.rawValue),
                AVAudioSessionInterruptionOptionKey: NSNumber(
                    value: AVAudioSession.InterruptionOptions.shouldResume.rawValue),
            ])
        guard let info = notification.userInfo,
            let typeValue = info[AVAudioSessionInterruptionTypeKey] as? UInt,
            let type = AVAudioSession.InterruptionType(rawValue: typeValue)
        else {
            Issue.record("the type is not readable")
            return
        }
        switch type {
        case .began: Issue.record("it was an end")
        case .ended:
            let optionsValue = info[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
            #expect(AVAudioSession.InterruptionOptions(rawValue: optionsValue).contains(.shouldResume))
        }
    }

    @Test("Descriptions can be mocked")
    func mocks() {
        #expect(MockRoute(inputs: [], outputs: []).outputs.isEmpty)
    }

    @Test("Raw values are those of AVAudioSession")
    func rawValues() {
        #expect(AVAudioSession.Category.playback.rawValue == "AVAudioSessionCategoryPlayback")
        #expect(AVAudioSession.CategoryOptions.interruptSpokenAudioAndMixWithOthers.rawValue == 0x11)
        #expect(AVAudioSession.ErrorCode.insufficientPriority.rawValue == 561_017_449)
        #expect(AVAudioSession.ErrorCode.cannotInterruptOthers.rawValue == 560_557_684)
        #expect(AVAudioSession.ErrorCode.isBusy.rawValue == 560_030_580)
        #expect(AVAudioSession.RouteChangeReason.routeConfigurationChange.rawValue == 8)
        #expect(AVAudioSession.SetActiveOptions.notifyOthersOnDeactivation.rawValue == 1)
    }
}
