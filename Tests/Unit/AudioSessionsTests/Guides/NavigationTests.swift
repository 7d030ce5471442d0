import AudioPlayback
import AudioSessions
import Recipes
import TestSupport
import Testing

/// GUIDE-6: navigation and workout.
@Suite struct NavigationTests {
    private static let (navigation, music, podcast) = (0, 1, 2)

    @Test(
        "GUIDE-6: a prompt ducks music by 14 dB while it plays; half a second later the music has its full level again"
    )
    func overMusic() throws {
        let (navigation, music) = (Self.navigation, Self.music)
        let device = try Device(apps: 3)
        let player = try Player(session: device.session(of: music), path: device.programme(of: music)) { _ in }
        try player.play()
        let session = try device.session(of: navigation)
        let journey = try Navigation(session: session)
        let scenario = Scenario(session)

        // "Activate with both InterruptSpokenAudioAndMixWithOthers and DuckOthers." "Do not
        // activate until a prompt needs to be played."
        #expect(session.categoryOptions.isSuperset(of: [.duckOthers, .interruptSpokenAudioAndMixWithOthers]))
        #expect(!session.isActive)
        #expect(try device.render(4_800)[music].differs(from: 0) == nil)

        try journey.say(device.programme(of: navigation, frames: 9_600))
        var heard = try device.render(4_800)
        #expect(heard[navigation].differs(from: 0) == nil)
        #expect(abs(heard[music].decibels(from: 4_800) + 14) < 0.01)
        heard = try device.render(4_800)
        #expect(heard[navigation].differs(from: 4_800) == nil)
        #expect(abs(heard[music].decibels(from: 9_600) + 14) < 0.01)

        // "Always deactivate the audio session after a prompt is played."
        #expect(!session.isActive)
        _ = try device.render(Device.release)
        heard = try device.render(2_400)
        #expect(heard[music].differs(from: 14_400 + Device.release) == nil, "bit-exact")

        // "Don't try to resume prompts that were interrupted": nor does an interrupted prompt keep
        // ducking others.
        try journey.say(device.programme(of: navigation, frames: 9_600))
        _ = try device.render(2_400)
        try device.system.ring()
        #expect(try device.render(2_400)[navigation].fallsSilent)
        try device.system.declineCall()
        heard = try device.render(4_800)
        #expect(heard[navigation].isSilent && !session.isActive)
        #expect(heard[music].samples.last != 0, "the music resumed")
        #expect(scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])

        // The next prompt plays from its beginning.
        try journey.say(device.programme(of: navigation, frames: 4_800))
        #expect(try device.render(4_800)[navigation].differs(fadingInFrom: 0) == nil)
    }

    @Test(
        "GUIDE-6, DUCK-4: a podcast pauses for a prompt and resumes at its next frame; the second of two is heard"
    )
    func overPodcast() throws {
        let (navigation, podcast) = (Self.navigation, Self.podcast)
        let device = try Device(apps: 3)
        let spoken = try device.session(of: podcast)
        let screen = Screen<Player.Display>()
        let player = try Player(
            session: spoken, path: device.programme(of: podcast), mode: .spokenAudio, display: screen.show)
        let scenario = Scenario(spoken)
        try player.play()
        _ = try device.render(4_800)

        let session = try device.session(of: navigation)
        let journey = try Navigation(session: session)
        try journey.say(device.programme(of: navigation, frames: 4_800))
        var heard = try device.render(2_400)
        #expect(heard[navigation].differs(from: 0) == nil && heard[podcast].fallsSilent)
        #expect(screen.now == .paused)
        try journey.say(device.programme(of: navigation, frames: 2_400))  // "No, left!"
        heard = try device.render(2_400)
        #expect(heard[podcast].isSilent, "the podcast does not resume between prompts")
        #expect(heard[navigation].samples.last == Float(2_400) / 1_048_576)

        #expect(!session.isActive)
        heard = try device.render(4_800)
        #expect(heard[navigation].isSilent)
        #expect(heard[podcast].differs(fadingInFrom: 4_800 + Device.fade) == nil, "no frame is lost")
        #expect(scenario.interruptions == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])
        #expect(screen.now == .playing)
    }

    @Test(
        "GUIDE-6: a prompt continues when headphones are unplugged, on the new route; then the music is unducked"
    )
    func routes() throws {
        let (navigation, music) = (Self.navigation, Self.music)
        let device = try Device(apps: 3)
        let screen = Screen<Player.Display>()
        let player = try Player(
            session: device.session(of: music), path: device.programme(of: music), display: screen.show)
        try device.system.plug("Headphones", type: .headphones)
        try player.play()
        let session = try device.session(of: navigation)
        let journey = try Navigation(session: session)
        try journey.say(device.programme(of: navigation, frames: 9_600))
        _ = try device.render(4_800)

        // "Ignore all route changes" (2014).
        try device.system.unplug("Headphones")
        var heard = try device.render(4_800)
        #expect(heard[music].fallsSilent && screen.now == .paused)
        #expect(heard[navigation].samples.last == Float(9_600) / 1_048_576, "the prompt played to its end")
        heard = try device.render(2_400)
        #expect(!session.isActive, "no app remains ducked")
        try player.play()
        _ = try device.render(Device.release)
        let place = 4_800 + Device.fade + Device.release
        #expect(try device.render(480)[music].differs(from: place) == nil)
    }

    @Test("GUIDE-6: while a phone rings a prompt is refused, and is not played later")
    func whileRinging() throws {
        let device = try Device(apps: 3)
        let player = try Player(session: device.session(of: Self.music), path: device.programme(of: Self.music)) { _ in
        }
        try player.play()
        let session = try device.session(of: Self.navigation)
        let journey = try Navigation(session: session)
        try device.system.ring()
        #expect(throws: AudioSessionError.self) {
            try journey.say(device.programme(of: Self.navigation, frames: 4_800))
        }
        try device.system.declineCall()
        #expect(try device.render(2_400)[Self.navigation].isSilent)
        #expect(!session.isActive)
    }
}
