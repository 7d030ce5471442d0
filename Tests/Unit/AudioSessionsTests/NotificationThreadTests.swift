import AudioRendering
@testable import AudioSessions
import Foundation
import SessionArbiter
import TestSupport
import Testing

/// Where notifications are posted. The tests run on the main actor: while one does not await, the
/// main queue is blocked; while it awaits, the main queue runs.
@Suite("The thread of notifications", .timeLimit(.minutes(1)))
@MainActor struct NotificationThreadTests {
    /// A playing session that records what reaches the app, and whether that was on the main queue.
    private final class App: @unchecked Sendable {
        // Only init and deinit access the tokens.
        let words = EventLog<String>()
        let session: AudioSession
        let player: Participant
        private var tokens: [any NSObjectProtocol] = []

        init(_ session: AudioSession, queue: OperationQueue? = nil) {
            self.session = session
            player = Participant(session) { [words] in words.note($0) }
            let names = [
                AudioSession.interruptionNotification: "interruption",
                AudioSession.didBecomeActiveNotification: "active",
                AudioSession.didBecomeInactiveNotification: "inactive",
                AudioSession.resumptionRecommendationNotification: "recommendation",
                AudioSession.routeChangeNotification: "route",
                AudioSession.silenceSecondaryAudioHintNotification: "hint",
                AudioSession.availableInputsChangeNotification: "inputs",
                AudioSession.outputMuteStateChangeNotification: "mute",
                AudioSession.mediaServicesWereLostNotification: "lost",
                AudioSession.mediaServicesWereResetNotification: "reset",
            ]
            tokens = names.map { name, word in
                NotificationCenter.default.addObserver(forName: name, object: session, queue: queue) { [words] note in
                    let type = note.userInfo?[AudioSessionInterruptionTypeKey] as? UInt
                    let named = type.map { $0 == 1 ? "began" : "ended" } ?? word
                    words.note(named + (OperationQueue.current == .main ? " on main" : ""))
                }
            }
        }

        deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }

        /// What was recorded, without what `isIncluded` excludes.
        func heard(_ isIncluded: (String) -> Bool = { _ in true }) -> [String] { words.noted.filter(isIncluded) }
    }

    private func fixture(
        _ thread: AudioSessionHost.NotificationThread, clock: HandClock = HandClock()
    ) throws -> (stage: HostFixture, app: App) {
        let stage = HostFixture(clock: clock, notificationThread: thread)
        let app = App(try stage.session(.playback))
        return (stage, app)
    }

    /// Lets the main queue run everything that it has now.
    private func runMainQueue() async {
        await withCheckedContinuation { continuation in
            OperationQueue.main.addOperation { continuation.resume() }
        }
    }

    private let interruption = [
        "active on main", "paused", "began on main", "inactive on main", "ended on main", "recommendation on main",
        "may resume: true",
    ]

    @Test("INT-9, INT-11: on the main queue, players pause first, and resume after the app's handlers; in one order")
    func order() async throws {
        let (stage, app) = try fixture(.main)
        try app.session.setActive(true)
        try stage.drain()
        await runMainQueue()
        app.player.run(true)
        try stage.host.ring()
        try stage.drain()
        await runMainQueue()
        try stage.host.declineCall()
        #expect(await app.words.arrives { $0.contains("may resume: true") })
        #expect(app.heard { $0 != "route" } == interruption)
    }

    @Test("INT-9: while the main queue is blocked, the library is not, and players resume after 1 s, once")
    func blocked() async throws {
        let clock = HandClock()
        let (stage, app) = try fixture(.main, clock: clock)
        try app.session.setActive(true)
        app.player.run(true)
        try stage.host.ring()
        try stage.host.declineCall()
        try stage.drain()
        clock.advance(by: .milliseconds(999))
        try stage.drain()
        #expect(app.heard { $0 != "route" } == ["paused"])
        clock.advance(by: .milliseconds(1))
        try stage.drain()
        #expect(app.heard { $0 != "route" } == ["paused", "may resume: true"])
        await runMainQueue()
        try stage.drain()
        #expect(
            app.heard { $0.hasSuffix("on main") || $0.hasPrefix("may") } == [
                "may resume: true", "active on main", "began on main", "inactive on main", "ended on main",
                "recommendation on main",
            ])
    }

    @Test("INT-5, INT-9: an interruption or deactivation while the main queue is blocked cancels the resumption")
    func interruptedAgain() async throws {
        let clock = HandClock()
        let (stage, app) = try fixture(.main, clock: clock)
        try app.session.setActive(true)
        try stage.host.ring()
        try stage.host.declineCall()
        try app.session.setActive(true)
        try stage.host.ring()
        try stage.drain()
        clock.advance(by: .seconds(1))
        try stage.drain()
        #expect(!app.heard().contains { $0.hasPrefix("may") })
        try stage.host.declineCall()
        try app.session.setActive(true)
        try app.session.setActive(false)
        try stage.drain()
        clock.advance(by: .seconds(1))
        await runMainQueue()
        try stage.drain()
        #expect(!app.heard().contains { $0.hasPrefix("may") })
    }

    @Test("INT-9: what the app does in its handler of the end precedes the players' resumption")
    func handlerFirst() async throws {
        let (stage, app) = try fixture(.main)
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.resumptionRecommendationNotification, object: app.session, queue: nil
        ) { [app] _ in
            app.words.note((try? app.session.setActive(true)) == nil ? "refused" : "activated")
        }
        defer { NotificationCenter.default.removeObserver(token) }
        try app.session.setActive(true)
        try stage.host.ring()
        try stage.host.declineCall()
        #expect(await app.words.arrives { $0.contains("may resume: true") })
        let order = app.heard { $0 == "activated" || $0.hasPrefix("may") }
        #expect(order == ["activated", "may resume: true"])
        #expect(app.session.isActive)
    }

    @Test("INT-11: automatic: on the library's thread until the main queue has run, then on the main queue")
    func automatic() async throws {
        let (stage, app) = try fixture(.automatic)
        try app.session.setActive(true)
        app.player.run(true)
        try stage.host.ring()
        try stage.host.declineCall()
        try stage.drain()
        let here = ["active", "paused", "began", "inactive", "ended", "recommendation", "may resume: true"]
        #expect(app.heard { $0 != "route" } == here, "this test has not let the main queue run yet")
        await runMainQueue()
        try app.session.setActive(true)
        try stage.drain()
        #expect(app.heard { $0 != "route" } == here)
        await runMainQueue()
        #expect(app.heard { $0 != "route" } == here + ["active on main"])
    }

    @Test("ROUTE-4: a route change is posted on a library thread while the main queue is blocked")
    func route() throws {
        let (stage, app) = try fixture(.main)
        try app.session.setActive(true)
        try stage.host.plug("Headphones", type: .headphones)
        #expect(app.words.wait { $0 == ["route", "route"] })
    }

    @Test("ROUTE-4, INT-9: an observer of route changes that waits for a blocked main queue does not block the library")
    func routeObserverOnMainQueue() async throws {
        let stage = HostFixture(clock: HandClock(), notificationThread: .main)
        let app = App(try stage.session(.playback), queue: .main)
        try app.session.setActive(true)
        app.player.run(true)
        try stage.host.plug("Headphones", type: .headphones)
        try stage.host.ring()
        try stage.drain()
        #expect(app.heard() == ["paused"])
        #expect(await app.words.arrives { $0.count { $0 == "route on main" } == 2 && $0.contains("began on main") })
    }

    @Test("ROUTE-4: a route is applied after its notification, and at the latest 1 s later, once")
    func routeLimit() throws {
        let clock = HandClock()
        let poster = NotificationPoster(on: .main, clock: clock)
        let words = EventLog<String>()
        let isReleased = DispatchSemaphore(value: 0)
        poster.postRouteChange {
            words.note("first posted")
            isReleased.wait()
        } then: {
            words.note("first applied")
        }
        #expect(words.wait { $0 == ["first posted"] })
        clock.advance(by: .milliseconds(999))
        #expect(words.noted == ["first posted"])
        clock.advance(by: .milliseconds(1))
        #expect(words.noted == ["first posted", "first applied"])
        poster.postRouteChange {
            words.note("second posted")
        } then: {
            words.note("second applied")
        }
        isReleased.signal()
        #expect(words.wait { $0.count == 4 })
        clock.advance(by: .seconds(1))
        #expect(words.noted == ["first posted", "first applied", "second posted", "second applied"])
    }

    @Test("HINT-2, ROUTE-6, VOL-3, PERM-4, SRV-1: all other notifications are posted on the main queue")
    func allOthers() async throws {
        let driver = FaultyDriver()
        let host = AudioSessionHost(
            driver: driver, settings: ArbiterSettings(), clock: HandClock(), notificationThread: .main)
        let app = App(try AudioSession(host: host))
        try app.session.setCategory(.playAndRecord, options: .mixWithOthers)
        let token = NotificationCenter.default.addObserver(
            forName: AudioApplication.inputMuteStateChangeNotification, object: host.application, queue: nil
        ) { [app] _ in app.words.note("input mute" + (OperationQueue.current == .main ? " on main" : "")) }
        defer { NotificationCenter.default.removeObserver(token) }
        try host.plug("Microphone", type: .usbAudio, outputs: 0, inputs: 1)
        try app.session.setActive(true)
        try host.application.setInputMuted(true)
        try app.session.setOutputMuted(true)
        let music = try AudioSession(host: host)
        try music.setCategory(.playback)
        let player = Participant(music)
        try music.setActive(true)
        player.run(true)
        driver.notify(.serverLost)
        driver.notify(.serverReturned(try #require(driver.format)))
        let expected = ["input mute", "mute", "hint", "inputs", "lost", "reset"].map { $0 + " on main" }
        #expect(await app.words.arrives { Set($0).isSuperset(of: expected) })
        let heard = Set(app.heard())
        #expect(heard.filter { !$0.hasSuffix("on main") } == ["route"])
    }

    @Test("An observer with queue main is called within the post, and does not wait for itself")
    func observerOnMainQueue() async throws {
        let stage = HostFixture(clock: HandClock(), notificationThread: .main)
        let app = App(try stage.session(.ambient), queue: .main)
        try app.session.setOutputMuted(true)
        #expect(await app.words.arrives { $0 == ["mute on main"] })
    }

    @Test("The queue is bounded: beyond 1,024 the oldest are lost, and warnings report the wait and the loss once")
    func bounded() async throws {
        let clock = HandClock()
        let warnings = EventLog<String>()
        let heard = EventLog<Int>()
        let poster = NotificationPoster(on: .main, clock: clock) { warnings.note($0) }
        poster.postMessage {}
        for number in 0..<1_000 { poster.post { heard.note(number) } }
        clock.advance(by: .milliseconds(4_999))
        poster.post { heard.note(1_000) }
        #expect(warnings.noted.isEmpty)
        clock.advance(by: .milliseconds(1))
        for number in 1_001..<1_100 { poster.post { heard.note(number) } }
        let wait = "notifications wait for the main queue, which has not run for 5 s"
        #expect(warnings.noted.count == 2)
        #expect(warnings.noted.first?.hasPrefix("audio session: 1001 \(wait). ") == true)
        #expect(warnings.noted.last?.hasPrefix("audio session: 1024 \(wait); older ones are lost. ") == true)
        await runMainQueue()
        #expect(heard.noted == Array(76..<1_100))
        poster.post { heard.note(-1) }
        await runMainQueue()
        #expect(heard.noted.last == -1 && warnings.noted.count == 2)
    }

    @Test("ROUTE-4: route changes that an observer holds up are bounded and reported as well")
    func boundedRouteChanges() {
        let clock = HandClock()
        let warnings = EventLog<String>()
        let heard = EventLog<Int>()
        let isReleased = DispatchSemaphore(value: 0)
        let poster = NotificationPoster(on: .main, clock: clock) { warnings.note($0) }
        poster.postRouteChange {
            heard.note(-1)
            isReleased.wait()
        } then: {
        }
        #expect(heard.wait { $0 == [-1] })
        for number in 0..<1_025 {
            poster.postRouteChange {
                heard.note(number)
            } then: {
            }
        }
        #expect(warnings.noted.map { $0.contains("1024 route changes wait") && $0.contains("are lost") } == [true])
        isReleased.signal()
        #expect(heard.wait { $0.count == 1_025 } && heard.noted.dropFirst().elementsEqual(1..<1_025))
    }

    @Test("Messages that nobody runs cause no warning where notifications are posted on the library's thread")
    func messagesOnly() async {
        let warnings = EventLog<String>()
        let clock = HandClock()
        let poster = NotificationPoster(on: .library, clock: clock) { warnings.note($0) }
        for _ in 0..<2_000 {
            poster.postMessage {}
            clock.advance(by: .seconds(1))
        }
        let isPosted = EventLog<Bool>()
        poster.post { isPosted.note(true) }
        #expect(isPosted.noted == [true] && warnings.noted.isEmpty)
    }

    @Test("The setting: automatic for programs that play to users, library for other hosts")
    func defaults() {
        let driver = OfflineDriver(sampleRate: 48_000, channels: 1, inputChannels: 0, periodFrames: 256)
        #expect(AudioSessionHost(driver: driver).notificationThread == .library)
        let host = AudioSessionHost(driver: driver, arbitration: .automatic)
        #expect(host.notificationThread == .automatic)
        // [thread]
        // At launch: .main, .library, or .automatic, the default of `shared`.
        host.notificationThread = .main
        // [end]
        #expect(host.notificationThread == .main)
    }
}
