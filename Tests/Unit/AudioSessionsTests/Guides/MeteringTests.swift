import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-4: metering.
@Suite struct MeteringTests {
    private static let (meter, other) = (0, 1)

    @Test(
        "GUIDE-4: a meter measures its input exactly, silences others, is not ducked, and resumes after interruptions"
    )
    func meter() throws {
        let (meter, other) = (Self.meter, Self.other)
        let device = try Device(apps: 2, microphones: 1)
        let player = try Player(session: device.session(of: other), path: device.programme(of: other)) { _ in }
        try player.play()
        _ = try device.render(2_400)

        // "Set the audio category before displaying a video splash on app launch": the splash plays
        // in the right session.
        let session = try device.session(of: meter)
        let scenario = Scenario(session)
        let metering = try Metering(session: session)
        #expect(session.category == .playAndRecord && session.mode == .measurement && !session.isActive)

        // "Ask the user for permission to record input using requestRecordPermission. Don't rely on
        // the operating system to prompt the user": the app asks when it becomes active. As long as
        // the answer is no, it interrupts no app.
        let asked = device.user(of: meter, allows: false)
        metering.didBecomeActive()
        #expect(try device.render(2_400)[other].differs(from: 2_400) == nil)
        #expect(asked.noted.count == 1 && !session.isActive)
        device.app(meter).setRecordPermission(.granted)

        // They "do not mix with other apps".
        metering.didBecomeActive()
        device.settle()
        let input = Signal.sine(frequency: 441, sampleRate: Device.rate, frames: 4_800, amplitude: 0.3)
        var heard = try device.render(4_800, microphone: input)
        #expect(heard[other].fallsSilent)
        #expect(metering.takePeak() == Signal.peak(input), "a minimum of processing: none")

        // The output is not processed either: a prompt of another app does not duck a test tone
        // (MODE, measurement).
        let navigation = try Navigation(session: device.session(of: other))
        try metering.play(device.buffer(of: meter, Signal.counting(frames: 12_000)))
        try navigation.say(device.programme(of: other, frames: 4_800))
        heard = try device.render(4_800, microphone: [Float](repeating: 0.125, count: 4_800))
        #expect(heard[meter].differs(from: 0) == nil && heard[other].differs(from: 0) == nil)
        #expect(metering.takePeak() == 0.125)

        // "Ignore all route changes unless the app specifically needs to pay attention to them."
        try device.system.plug("Headphones", type: .headphones)
        try device.system.unplug("Headphones")
        heard = try device.render(2_400, microphone: [Float](repeating: 0.0625, count: 2_400))
        #expect(heard[meter].differs(from: 4_800) == nil && metering.takePeak() == 0.0625)

        // "Always attempt to reactivate and resume playback after an end interruption event."
        try device.system.beginInterruption(by: .alarm)
        _ = try device.render(2_400)
        _ = metering.takePeak()  // input until it fell silent
        heard = try device.render(2_400, microphone: input)
        #expect(heard[meter].isSilent && metering.takePeak() == 0, "nothing is measured during the interruption")
        try device.system.endInterruption(shouldResume: false)
        heard = try device.render(2_400)
        #expect(session.isActive && heard[meter].differs(fadingInFrom: 7_200 + Device.fade) == nil)
        _ = try device.render(2_400, microphone: input)
        #expect(metering.takePeak() == Signal.peak(input[..<2_400]))
        #expect(scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: false)])
    }
}
