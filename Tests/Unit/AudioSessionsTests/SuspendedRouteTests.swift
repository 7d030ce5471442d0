import AudioRendering
import AudioSessions
import Foundation
import Platform
import SessionArbiter
import TestSupport
import Testing

/// A suspended driver reports the departure of a device up to a second late, so an interruption may
/// end before the arbiter knows of it.
@Suite("A device leaves during a suspension, just before the interruption ends")
struct SuspendedRouteTests {
    private let driver = FaultyDriver(hasClock: true)
    private let clock = HandClock()
    private let host: AudioSessionHost
    private let speaker = AudioDevice.output("Speaker", .builtInSpeaker)
    private let ears = AudioDevice.output("Ears", .headphones)

    init() {
        let devices = [speaker, ears]
        driver.seen.withLock { $0 = devices }
        host = AudioSessionHost(driver: driver, settings: ArbiterSettings(), clock: clock)
    }

    private func session(_ category: AudioSession.Category) throws -> AudioSession {
        let session = try AudioSession(host: host)
        try session.setCategory(category, options: category == .ambient ? [] : .mixWithOthers)
        try session.setActive(true)
        return session
    }

    private func suspend() throws {
        try host.beginInterruption(by: .call)
        host.settle()
        clock.advance(by: .seconds(5.1))
        host.settle()
        #expect(!driver.isRendering)
    }

    /// Ends the interruption and returns whether the session was asked to resume.
    private func endInterruption(of session: AudioSession) throws -> Bool? {
        let listener = NotificationRecorder(AudioSession.interruptionNotification, of: session)
        try host.endInterruption()
        host.settle()
        return listener.heard.noted.last?[AudioSessionInterruptionOptionKey]?.boolValue
    }

    @Test("ROUTE-4: the session is not asked to resume", arguments: [true, false])
    func departure(leaves: Bool) throws {
        let music = try session(.playback)
        try suspend()
        if leaves { driver.seen.withLock { $0 = [speaker] } }
        #expect(try endInterruption(of: music) == !leaves)
    }

    @Test(
        "ROUTE-4: nor if a session of the app that was notified before has ended the suspension",
        arguments: [true, false])
    func endedByAnother(leaves: Bool) throws {
        let game = try session(.ambient)
        let music = try session(.playback)
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.interruptionNotification, object: game, queue: nil
        ) { note in
            if note.userInfo?[AudioSessionInterruptionTypeKey] as? UInt == 0 { try? game.setActive(true) }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try suspend()
        if leaves { driver.seen.withLock { $0 = [speaker] } }
        #expect(try endInterruption(of: music) == !leaves)
        #expect(game.isActive && driver.isRendering)
        #expect(music.currentRoute.outputs.map(\.portName) == (leaves ? ["Speaker"] : ["Ears"]))
    }

    @Test(
        "ROUTE-4, ROUTE-8: the session is asked to resume if the user had picked another output, suspended or not",
        arguments: [true, false])
    func picked(isSuspended: Bool) throws {
        let music = try session(.playback)
        isSuspended ? try suspend() : try host.beginInterruption(by: .call)
        try host.pickOutput("Speaker:output")
        host.settle()
        driver.seen.withLock { $0 = [speaker] }
        #expect(driver.isRendering == !isSuspended)
        #expect(try endInterruption(of: music) == true)
    }

    @Test("SRV-2: the session is asked to resume while its device is awaited after a return of the server")
    func awaited() throws {
        let music = try session(.playback)
        try suspend()
        driver.notify(.serverLost)
        driver.seen.withLock { $0 = [speaker] }
        driver.notify(.serverReturned(try #require(driver.format)))
        host.settle()
        #expect(try endInterruption(of: music) == true)
        try music.setActive(true)
        #expect(music.currentRoute.outputs.isEmpty, "no other output replaces it")
        driver.seen.withLock { $0 = [speaker, ears] }
        driver.notify(.devicesChanged([speaker, ears]))
        host.settle()
        #expect(music.currentRoute.outputs.map(\.portName) == ["Ears"])
    }
}
