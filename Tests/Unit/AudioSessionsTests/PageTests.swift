import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

/// A log of what an app would show, in order. A test awaits it without blocking a thread.
struct Shown: Sendable {
    private let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: String.self) }

    func note(_ what: String) { continuation.yield(what) }

    /// Returns the next `count` entries, as soon as they exist.
    func next(_ count: Int) async -> [String] {
        var seen: [String] = []
        for await what in stream {
            seen.append(what)
            if seen.count == count { break }
        }
        return seen
    }
}

/// Runs the samples of Documentation/Rules. The pages show the code between `// [name]` and
/// `// [end]`; `Scripts/check examples` compares the two.
@Suite struct PageTests {
    private let stage = HostFixture(inputChannels: 0)
    private let session: AudioSession
    private let host: AudioSessionHost
    private let shown = Shown()

    init() throws {
        session = try stage.session()
        host = stage.host
    }

    @Test("CAT-2: an audiobook") func category() throws {
        // [category]
        // An audiobook: ignores the silent switch.
        try session.setCategory(.playback, mode: .spokenAudio)
        try session.setActive(true)
        // [end]
        #expect(session.isActive && session.mode == .spokenAudio)
    }

    @Test("CAT-7: the categories that the hardware supports") func available() throws {
        // [available]
        if session.availableCategories.contains(.playAndRecord) {
            try session.setCategory(.playAndRecord, mode: .voiceChat)
        } else {
            try session.setCategory(.playback)  // falls back to playback
        }
        // [end]
        #expect(session.category == .playback, "this device has no input")
    }

    @Test("MODE-1: a mode that does not fit the category") func unsuited() throws {
        // [unsuited]
        do {
            try session.setCategory(.playback, mode: .voiceChat)
        } catch let error as AudioSessionError where error.errorCode == .badParam {
            print(error.rule ?? "", error.message)  // MODE-1, and the modes that fit playback
        }
        // [end]
        #expect(session.category == .soloAmbient)
    }

    @Test("ACT-5, ACT-6: a refused activation and its reason") func activate() async throws {
        let show: (String) -> Void = { [shown] in shown.note($0) }
        let showLater = { show("later") }
        let showBringToForeground = { show("bring to foreground") }
        func ask() throws {
            // [activate]
            do {
                try session.setActive(true)
            } catch let error as AudioSessionError {
                switch error.errorCode {
                // A call: try again when it ends, or when the user asks.
                case .insufficientPriority: showLater()
                case .cannotInterruptOthers, .cannotStartPlaying: showBringToForeground()
                default: show(error.message)  // request, reason and remedy
                }
            }
            // [end]
        }
        try host.ring()
        try ask()
        try host.declineCall()
        try host.setApplicationState(.background)
        try ask()
        #expect(await shown.next(2) == ["later", "bring to foreground"])
    }

    @Test("ACT-1, ACT-7: activating and deactivating from a task") func awaited() async throws {
        // [async]
        try await session.activate()
        await playToTheEnd()
        try await session.deactivate(options: .notifyOthersOnDeactivation)
        // [end]
        #expect(!session.isActive)
    }

    private func playToTheEnd() async { #expect(session.isActive) }

    @Test("ACT-8: active for the length of a scope") func scope() async throws {
        // [scope]
        try await session.whileActive {
            await playToTheEnd()
        }
        // [end]
        #expect(!session.isActive)
    }

    @Test("VOL-1: following a property") func values() async throws {
        let (session, shown) = (session, shown)
        let draw = { @Sendable (volume: Float) in shown.note("\(volume)") }
        let following = Task {
            // [values]
            // The current value, then every change.
            for await volume in session.values(of: \.outputVolume) { draw(volume) }
            // [end]
        }
        #expect(await shown.next(1) == ["1.0"])
        try host.setSystemVolume(0.5)
        #expect(await shown.next(1) == ["0.5"])
        following.cancel()
    }

    @Test("ACT-14: asking to wait") func wait() async throws {
        let (session, shown) = (session, shown)
        let showWaiting = { shown.note("waits") }
        let play = { shown.note("plays") }
        try host.ring()
        let following = Task {
            // [wait]
            let events = session.events
            if try session.requestActivation() { play() } else { showWaiting() }

            for await case .activationGranted in events { play() }
            // [end]
        }
        #expect(await shown.next(1) == ["waits"])
        try host.declineCall()
        #expect(await shown.next(1) == ["plays"])
        following.cancel()
    }

    @Test("ACT-8: deactivating and notifying others") func deactivate() throws {
        let music = try stage.session(.playback)
        let heard = NotificationRecorder(AudioSession.interruptionNotification, of: music)
        try music.setActive(true)
        try session.setActive(true)
        // [deactivate]
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        // [end]
        try stage.drain()
        #expect(heard.heard.noted.last?[AudioSessionInterruptionOptionKey] == 1)
    }

    @Test("ACT-13: the reasons for a session's state") func explain() throws {
        try session.setActive(true)
        let prompt = try stage.session(.ambient, options: .duckOthers)
        try prompt.setActive(true)
        // [explain]
        // Prints: session 1 is ducked by DUCK-1 because of session 2
        for sentence in session.explain() { print(sentence) }
        // [end]
        #expect(session.explain() == ["session \(session.id) is ducked by DUCK-1 because of session \(prompt.id)"])
    }

    @Test("INT-3: the end of an interruption, as an event") func events() async throws {
        let (session, shown) = (session, shown)
        let showPaused = { @Sendable in shown.note("paused") }
        let resume = { @Sendable in shown.note("resumed") }
        let events = session.events
        try session.setActive(true)
        try host.ring()
        try host.declineCall()
        let following = Task {
            // [events]
            for await event in events {  // session.events, read before the first activation
                switch event {
                case .interruptionBegan: showPaused()  // the session is already silent
                case .interruptionEnded(let shouldResume):
                    // Otherwise the user decides.
                    guard shouldResume, (try? session.setActive(true)) != nil else { continue }
                    resume()
                default: break
                }
            }
            // [end]
        }
        #expect(await shown.next(2) == ["paused", "resumed"])
        following.cancel()
        #expect(session.isActive)
    }

    @Test("INT-2, INT-3: the same as a notification") func notification() async throws {
        let shown = shown
        let showPaused = { @Sendable in shown.note("paused") }
        let resume = { @Sendable in shown.note("resumed") }
        // [notification]
        let token = NotificationCenter.default.addObserver(
            forName: AudioSession.interruptionNotification, object: session, queue: nil
        ) { note in
            guard let raw = note.userInfo?[AudioSessionInterruptionTypeKey] as? UInt,
                let type = AudioSession.InterruptionType(rawValue: raw)
            else { return }
            let options = note.userInfo?[AudioSessionInterruptionOptionKey] as? UInt ?? 0
            switch type {
            case .began: showPaused()
            case .ended: if AudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume) { resume() }
            }
        }
        // [end]
        defer { NotificationCenter.default.removeObserver(token) }
        try session.setActive(true)
        try host.ring()
        try host.declineCall()
        #expect(await shown.next(2) == ["paused", "resumed"])
    }
}
