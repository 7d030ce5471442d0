import AVFAudio
import TestSupport
import Testing

@Suite("Permission, as source written for iOS requests it")
struct PermissionSourceTests {
    @available(*, deprecated, message: "tests the older shape")
    @Test("PERM-2: both APIs request and read the same permission")
    func bothShapes() throws {
        let session = AVAudioSession.sharedInstance()
        session.host.setRecordPermissionPrompt { $0(true) }
        let answers = EventLog<Bool>()
        AVAudioApplication.requestRecordPermission { answers.note($0) }
        session.requestRecordPermission { answers.note($0) }
        #expect(answers.wait { $0 == [true, true] })
        #expect(session.recordPermission == AVAudioSession.RecordPermission.granted)
        #expect(AVAudioApplication.shared.recordPermission == .granted)
        let permission: AVAudioApplication.recordPermission = .granted
        #expect(permission.rawValue == 0x6772_6e74)
        session.host.setRecordPermission(.undetermined)
    }
}
