import AVFoundation
import AudioSessions
import Foundation
import Testing

// Source of iOS 3 to 16 and of Swift before 4.2. It compiles with warnings, so the tests call it
// through protocols.

private protocol OldSource {
    init()
    func run() throws -> [String]
}

@available(*, deprecated)
private final class OldPlayer: NSObject, AVAudioSessionDelegate {
    var heard: [String] = []
    func beginInterruption() { heard.append("began") }
    func endInterruption(withFlags flags: Int) {
        heard.append(flags == AVAudioSessionInterruptionFlags_ShouldResume ? "ended, resume" : "ended")
    }
    func inputIsAvailableChanged(_ isInputAvailable: Bool) { heard.append("input: \(isInputAvailable)") }
}

@available(*, deprecated)
private final class OlderPlayer: NSObject, AVAudioSessionDelegate {
    var heard: [String] = []
    func endInterruption() { heard.append("ended") }
}

private struct Delegates: OldSource {
    @available(*, deprecated)
    func run() throws -> [String] {
        let session = try AVAudioSession(host: .shared)
        let player = OldPlayer()
        session.delegate = player
        post(session, 1, nil)
        post(session, 0, 1)
        post(session, 0, 0)
        let older = OlderPlayer()
        session.delegate = older
        let isOlder = session.delegate === older
        post(session, 1, nil)
        post(session, 0, 1)
        session.delegate = nil
        post(session, 1, nil)
        return player.heard + older.heard + ["\(isOlder)", "\(session.delegate == nil)"]
    }

    private func post(_ session: AVAudioSession, _ type: UInt, _ options: UInt?) {
        var info: [AnyHashable: Any] = [AVAudioSessionInterruptionTypeKey: NSNumber(value: type)]
        info[AVAudioSessionInterruptionOptionKey] = options.map { NSNumber(value: $0) }
        NotificationCenter.default.post(
            name: AVAudioSession.interruptionNotification, object: session, userInfo: info)
    }
}

private struct Inputs: OldSource {
    @available(*, deprecated)
    func run() throws -> [String] {
        let session = try AVAudioSession(host: .shared)
        let player = OldPlayer()
        session.host.notificationThread = .library
        try session.host.plug("old source's speakers", type: .lineOut)
        session.delegate = player
        try session.setCategory(.record)
        try session.host.plug("old source's microphone", type: .usbAudio, outputs: 0, inputs: 1)
        session.settle()
        try session.host.unplug("old source's microphone")
        session.settle()
        session.delegate = nil
        try session.host.unplug("old source's speakers")
        return player.heard
    }
}

private struct OldNames: OldSource {
    @available(*, deprecated)
    func run() throws -> [String] {
        let session = try AVAudioSession(host: .shared)
        try session.setPreferredHardwareSampleRate(44_100)
        let rate = session.preferredHardwareSampleRate
        try session.setPreferredSampleRate(0)
        try session.setActive(false, withFlags: AVAudioSessionSetActiveFlags_NotifyOthersOnDeactivation)
        let permission: AVAudioSession.RecordPermission = session.recordPermission
        return ["\(rate)", "\(permission.rawValue == session.host.application.recordPermission.rawValue)"]
    }

    /// Code that needs the server or the user is only compiled.
    @available(*, deprecated)
    func compiled(_ session: AVAudioSession) -> [Double] {
        let headphones = session.currentRoute.outputs.filter { $0.portType == AVAudioSessionPortHeadphones }
        session.requestRecordPermission { print($0) }
        return [
            session.currentHardwareSampleRate, Double(session.currentHardwareInputNumberOfChannels),
            Double(session.currentHardwareOutputNumberOfChannels), session.inputIsAvailable ? 1 : 0,
            Double(headphones.count),
        ]
    }
}

private struct SwiftThree: OldSource {
    @available(*, deprecated)
    func run() throws -> [String] {
        let session = try AVAudioSession(host: .shared)
        try session.setCategory(AVAudioSessionCategoryPlayAndRecord, with: .mixWithOthers)
        try session.setMode(AVAudioSessionModeVoiceChat)
        defer { try? session.setCategory(AVAudioSessionCategorySoloAmbient) }
        try session.setActive(false, with: .notifyOthersOnDeactivation)
        let type = AVAudioSessionInterruptionType(rawValue: 1)
        let name: NSNotification.Name = .AVAudioSessionInterruption
        return [
            "\(session.category == AVAudioSessionCategoryPlayAndRecord)", "\(type == .began)", name.rawValue,
        ]
    }
}

@Suite("Source written for older iOS SDKs", .serialized)
struct DeprecatedSourceTests {
    private func run(_ source: any OldSource.Type) throws -> [String] { try source.init().run() }

    @Test("INT-2, INT-3: a delegate receives interruptions through the methods it implements, until it is released")
    func delegates() throws {
        #expect(try run(Delegates.self) == ["began", "ended, resume", "ended", "ended", "true", "true"])
    }

    @Test("ROUTE-6: a delegate is notified of the first and the last input")
    func inputs() throws {
        #expect(try run(Inputs.self) == ["input: true", "input: false"])
    }

    @Test("HW-1: hardware values and flags under their original names")
    func oldNames() throws {
        #expect(try run(OldNames.self) == ["44100.0", "true"])
    }

    @Test("CAT-6: categories, modes and ports as the string constants of old SDKs")
    func swiftThree() throws {
        #expect(
            try run(SwiftThree.self) == ["true", "true", "AVAudioSessionInterruptionNotification"])
    }

    @Test("Features of Apple's hardware: values of a device without them, and requests are refused")
    func appleHardware() throws {
        let session = try AVAudioSession(host: .shared)
        try session.setAggregatedIOPreference(.aggregated)
        try session.setPreferredInputOrientation(.none)
        try session.setPrefersEchoCancelledInput(false)
        #expect(session.inputOrientation == .none && !session.isEchoCancelledInputAvailable)
        #expect(!session.isMicrophoneInjectionAvailable && session.renderingMode == .notApplicable)
        #expect(!session.allowHapticsAndSystemSoundsDuringRecording)
        let refusal = #expect(throws: AudioSessionError.self) {
            try session.setPreferredMicrophoneInjectionMode(.spokenAudio)
        }
        #expect(refusal?.errorCode == .resourceNotAvailable)
        #expect(session.lastRefusal?.error === refusal)
        #expect(AVAudioApplication.shared.microphoneInjectionPermission == .serviceDisabled)
    }

    @Test("Completion handlers are called even if the answer is always no")
    func answers() async {
        let session = AVAudioSession.sharedInstance()
        let selection = await withCheckedContinuation { answer in
            session.prepareRouteSelectionForPlayback { shouldStart, selection in
                answer.resume(returning: (shouldStart, selection))
            }
        }
        #expect(!selection.0 && selection.1 == .none)
        let permission = await withCheckedContinuation { answer in
            AVAudioApplication.requestMicrophoneInjectionPermission { answer.resume(returning: $0) }
        }
        #expect(permission == .serviceDisabled)
    }
}
