import AudioRendering
import AudioSessions
import COpenALLoopback
import Foundation
import OpenALRecipe
import Recipes
import SessionArbiter
import TestSupport
import Testing

/// The guide's section "OpenAL and Audio Interruptions", quoted at each step, and what else happens
/// to a game that mixes with OpenAL.
///
/// Serialized: a process has one current OpenAL context.
@Suite(.serialized) struct OpenALTests {
    private static let (app, music) = (0, 1)

    @Test(
        "INT-1, INT-3, INT-6, INT-8: calls that are declined: the context stands still, and goes on at the next frame")
    func declinedCalls() throws {
        let scene = try OpenALScene()
        try scene.game.play()
        var place = 0
        // Interruptions at several fill levels of the stream, and shortly after the beginning.
        for frames in [256, 100, 4_800, 777, 1_024, 2_900, 3_333] {
            let fadeIn = place == 0 ? 0 : Device.fade
            #expect(try scene.hears(from: place, frames: frames + fadeIn, fadeIn: fadeIn) == nil)
            place += frames + fadeIn

            // "Upon interruption, set the OpenAL context to NULL."
            try scene.device.system.ring()
            scene.device.settle()
            #expect(scene.context.isPaused && !scene.isCurrent)
            #expect(openal_source_move(scene.context.loopback, scene.source, 1, 0, 0) == OPENAL_NOT_CURRENT)
            let offset = try scene.offset()
            #expect(try scene.device.render(24_000)[Self.app].fallsSilent)
            place += Device.fade
            #expect(try scene.offset() == offset, "the context stands still")
            #expect(offset - place <= OpenALScene.readAhead)

            // "After the interruption ends, set the context to its prior state."
            try scene.device.system.declineCall()
            scene.device.settle()
            #expect(scene.session.isActive && !scene.context.isPaused && scene.isCurrent)
        }
        #expect(try scene.hears(from: place, frames: 24_000, fadeIn: Device.fade) == nil)
        #expect(
            scene.scenario.interruptions.suffix(2)
                == [.interruptionBegan(.default), .interruptionEnded(shouldResume: true)])
        #expect(scene.context.renderFailure == nil)
    }

    @Test("INT-3, INT-6, INT-8: a call that is accepted and ends; and one during which the game is launched")
    func acceptedCall() throws {
        let scene = try OpenALScene()
        try scene.game.play()
        #expect(try scene.hears(from: 0, frames: 4_800) == nil)
        try scene.device.system.ring()
        try scene.device.system.acceptCall()
        #expect(try scene.device.render(4_800)[Self.app].fallsSilent)
        #expect(throws: (any Error).self) { try scene.game.play() }
        #expect(scene.context.isPaused && !scene.isCurrent, "the activation was refused")
        try scene.device.system.endCall()
        #expect(try scene.hears(from: 4_800 + Device.fade, frames: 4_800, fadeIn: Device.fade) == nil)
        #expect(scene.isCurrent)

        // Launched during the call, the game is refused; it may try again afterwards.
        let second = try OpenALScene()
        try second.device.system.ring()
        try second.device.system.acceptCall()
        #expect(throws: (any Error).self) { try second.game.play() }
        second.device.settle()
        #expect(try second.context.isPaused && second.offset() == 0)
        try second.device.system.endCall()
        try second.game.play()
        #expect(second.session.isActive && second.isCurrent)
        #expect(try second.hears(from: 0, frames: 4_800) == nil)
    }

    @Test("INT-3, INT-5, INT-8: an interruption without an end: the user presses play; pauses during one")
    func noEnd() throws {
        let scene = try OpenALScene()
        // Other music interrupts only a game that does not mix.
        try scene.session.setCategory(.playback)
        try scene.game.play()
        #expect(try scene.hears(from: 0, frames: 4_800) == nil)
        let other = try scene.device.session(of: Self.music)
        try other.setCategory(.playback)
        try other.setActive(true)
        #expect(try scene.device.render(4_800)[Self.app].fallsSilent)
        try other.setActive(false)
        #expect(try scene.device.render(4_800)[Self.app].isSilent)
        #expect(scene.scenario.interruptions == [.interruptionBegan(.default)] && scene.context.isPaused)
        try scene.game.play()
        #expect(try scene.hears(from: 4_800 + Device.fade, frames: 4_800, fadeIn: Device.fade) == nil)

        // The pause menu during an interruption: the game stays silent afterwards.
        try scene.device.system.ring()
        #expect(try scene.device.render(4_800)[Self.app].fallsSilent)
        try scene.game.pause()
        try scene.device.system.declineCall()
        #expect(try scene.device.render(4_800)[Self.app].isSilent)
        #expect(!scene.session.isActive && scene.context.isPaused && !scene.isCurrent)
        try scene.game.play()
        #expect(try scene.hears(from: 9_600 + 2 * Device.fade, frames: 4_800, fadeIn: Device.fade) == nil)
    }

    @Test("ACT-7, GUIDE-1, INT-8: pause menu, background and locked screen; it goes on where it stopped")
    func deactivation() throws {
        let scene = try OpenALScene()
        try scene.game.play()
        #expect(try scene.hears(from: 0, frames: 4_800) == nil)
        try scene.game.pause()
        let offset = try scene.offset()
        #expect(try scene.device.render(4_800)[Self.app].fallsSilent)
        #expect(try !scene.session.isActive && !scene.isCurrent && scene.offset() == offset)
        try scene.game.play()
        #expect(try scene.hears(from: 4_800 + Device.fade, frames: 4_800, fadeIn: Device.fade) == nil)

        // The rules deactivate an ambient session before the game handles the background.
        try scene.device.app(Self.app).setApplicationState(.background)
        #expect(try scene.device.render(48_000)[Self.app].fallsSilent)
        #expect(try scene.offset() - (9_600 + 2 * Device.fade) <= OpenALScene.readAhead)
        try scene.game.pause()
        try scene.device.app(Self.app).setApplicationState(.foreground)
        try scene.game.play()
        #expect(try scene.hears(from: 9_600 + 2 * Device.fade, frames: 4_800, fadeIn: Device.fade) == nil)
    }

    @Test("ROUTE-4, INT-8: headphones are unplugged: an ambient game continues; another one waits for play")
    func routes() throws {
        let scene = try OpenALScene()
        try scene.device.system.plug("Headphones", type: .headphones)
        try scene.game.play()
        #expect(try scene.hears(from: 0, frames: 4_800) == nil)
        try scene.device.system.unplug("Headphones")
        #expect(try scene.hears(from: 4_800, frames: 4_800) == nil)

        try scene.device.system.plug("Headphones", type: .headphones)
        try scene.session.setCategory(.playback)
        #expect(try scene.hears(from: 9_600, frames: 4_800) == nil)
        try scene.device.system.unplug("Headphones")
        #expect(try scene.device.render(4_800)[Self.app].fallsSilent)
        #expect(scene.scenario.interruptions == [.interruptionBegan(.routeDisconnected)] && scene.context.isPaused)
        try scene.game.play()
        #expect(try scene.hears(from: 14_400 + Device.fade, frames: 4_800, fadeIn: Device.fade) == nil)
    }

    @Test("OpenAL mixes at most 4,096 frames ahead of what is heard, and loses none")
    func readAhead() throws {
        let scene = try OpenALScene()
        try scene.game.play()
        var ahead: [Int] = []
        for place in stride(from: 0, to: 128 * 256, by: 256) {
            #expect(try scene.hears(from: place, frames: 256) == nil)
            ahead.append(try scene.offset() - place - 256)
        }
        #expect(Set(ahead) == [3_328, 3_584, 3_840, 4_096], "OpenAL mixes blocks of 1,024 frames")
    }

    @Test("HW-3: at another sample rate of the server, the same context continues at its own rate")
    func sampleRate() throws {
        let scene = try OpenALScene()
        try scene.game.play()
        #expect(try scene.hears(from: 0, frames: 4_800) == nil)
        scene.device.driver.setSampleRate(2 * Device.rate)
        let heard = try scene.device.render(9_600)[Self.app].samples
        let worst = heard.enumerated().map { abs(Double($0.element) * 1_048_576 - 4_801 - Double($0.offset) / 2) }.max()
        #expect(try #require(worst) < 0.01)
        scene.device.driver.setSampleRate(Device.rate)
        #expect(try scene.hears(from: 9_600, frames: 4_800) == nil)
    }

    @Test("SRV-2, INT-8: the server is lost and returns: the context stands still meanwhile, without any call")
    func mediaServices() throws {
        let driver = FaultyDriver()
        let host = AudioSessionHost(driver: driver, settings: ArbiterSettings())
        let context = try OpenALContext(channels: 1, sampleRate: Device.rate)
        _ = try OpenALScene.playLoop(in: context)
        let session = try AudioSession(host: host)
        let game = try OpenALGame(session: session, context: context)
        try game.play()
        let heard = Heard(samples: try driver.inner.render(frames: 4_800)[0])
        #expect(heard.differs(from: 0) == nil)

        let format = try #require(driver.format)
        driver.notify(.serverLost)
        host.settle()
        #expect(session.isActive && !context.isPaused)
        #expect(Int(context.framesRendered) - 4_800 <= OpenALScene.readAhead)
        driver.notify(.serverReturned(format))
        host.settle()
        let again = try driver.inner.render(frames: 4_800)[0]
        #expect(Heard(samples: again).differs(from: 4_800) == nil)
    }

    @Test("INT-5: the beginning of an interruption is delivered after the game has activated again: it goes on")
    func lateBeginning() throws {
        let (reached, continues) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // The first of them delays the game's notification. They are many, because observers are
        // notified in any order.
        let blockers = (0..<32).map { _ in SessionObserver() }
        let scene = try OpenALScene()
        for blocker in blockers {
            blocker.observe(scene.session) { event in
                guard case .interruptionBegan = event else { return }
                reached.signal()
                _ = continues.wait(timeout: .now() + 20)
            }
        }
        try scene.session.setCategory(.playback)
        try scene.game.play()
        #expect(try scene.hears(from: 0, frames: 4_800) == nil)
        let other = try scene.device.session(of: Self.music)
        try other.setCategory(.playback)
        try other.setActive(true)
        #expect(reached.wait(timeout: .now() + 20) == .success)
        try scene.game.play()
        for _ in blockers { continues.signal() }
        scene.device.settle()
        #expect(scene.session.isActive && !scene.context.isPaused && scene.isCurrent)
    }

    @Test("INT-3: an end that is delivered after the pause menu was opened does not resume the game")
    func lateEnd() throws {
        let (reached, continues) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // The first of them delays the game's notification. They are many, because observers are
        // notified in any order.
        let blockers = (0..<32).map { _ in SessionObserver() }
        let scene = try OpenALScene()
        for blocker in blockers {
            blocker.observe(scene.session) { event in
                guard case .interruptionEnded = event else { return }
                reached.signal()
                _ = continues.wait(timeout: .now() + 20)
            }
        }
        try scene.game.play()
        try scene.device.system.ring()
        try scene.device.system.declineCall()
        #expect(reached.wait(timeout: .now() + 20) == .success)
        try scene.game.pause()
        for _ in blockers { continues.signal() }
        scene.device.settle()
        #expect(!scene.session.isActive && scene.context.isPaused && !scene.isCurrent)
        try scene.game.play()
        #expect(scene.session.isActive && !scene.context.isPaused)
    }

    @Test("INT-4, INT-5: calls begin and end on one thread while the user plays and pauses on another")
    func concurrentCalls() throws {
        for _ in 0..<40 {
            let scene = try OpenALScene()
            try scene.game.play()
            DispatchQueue.concurrentPerform(iterations: 2) { thread in
                for _ in 0..<10 {
                    if thread == 0 {
                        try? scene.device.system.ring()
                        try? scene.device.system.declineCall()
                    } else {
                        try? scene.game.play()  // refused during a call
                        try? scene.game.pause()
                        try? scene.game.play()
                    }
                }
            }
            scene.device.settle()
            #expect(scene.context.isPaused == !scene.session.isActive && scene.isCurrent == scene.session.isActive)
            try scene.game.play()
            let heard = try scene.device.render(4_800)[Self.app].samples[Device.fade...]
            #expect(zip(heard, heard.dropFirst()).allSatisfy { ($1 - $0) * 1_048_576 == 1 })
        }
    }

    @Test("A context that OpenAL cannot render is refused, with the formats that it can")
    func refusal() {
        let error = #expect(throws: OpenALError.self) { try OpenALContext(channels: 3, sampleRate: 48_000) }
        #expect(error?.description.contains("1, 2, 4, 6 or 8 channels at 8,000 Hz or more") == true)
        #expect(throws: OpenALError.self) { try OpenALContext(channels: 2, sampleRate: 1_000) }
    }
}

/// A game on a device with another app. The game's source is on its left, and so on the output
/// channel of the game alone; the value of each frame is its position.
private struct OpenALScene {
    /// Frames that OpenAL mixes ahead, at most.
    static let readAhead = 4_096

    let device: Device
    let session: AudioSession
    let context: OpenALContext
    let source: UInt32
    let game: OpenALGame
    let scenario: Scenario

    init() throws {
        device = try Device(apps: 2)
        session = try device.session(of: 0)
        context = try OpenALContext(sampleRate: Device.rate)
        source = try Self.playLoop(in: context)
        try OpenALError.check(openal_source_move(context.loopback, source, -1, 0, 0))
        game = try OpenALGame(session: session, context: context)
        scenario = Scenario(session)
    }

    private static let samples = Signal.counting(frames: 480_000)

    static func playLoop(in context: OpenALContext) throws -> UInt32 {
        var source: UInt32 = 0
        let rate = UInt32(Device.rate)
        try OpenALError.check(
            openal_source_play(context.loopback, samples, 1, UInt32(samples.count), rate, &source))
        return source
    }

    /// Whether OpenAL calls apply to the game's context.
    var isCurrent: Bool { openal_loopback_is_current(context.loopback) }

    /// The next frame of the source that OpenAL mixes.
    func offset() throws -> Int {
        var frame: UInt32 = 0
        try OpenALError.check(openal_source_offset(context.loopback, source, &frame))
        return Int(frame)
    }

    /// Renders, and compares what is heard with the source from `frame` on. `fadeIn` is 0 or the
    /// length of the fade.
    func hears(from frame: Int, frames: Int, fadeIn: Int = 0) throws -> String? {
        let heard = try device.render(frames)[0]
        return fadeIn == 0 ? heard.differs(from: frame) : heard.differs(fadingInFrom: frame)
    }
}
