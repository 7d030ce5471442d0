import AudioRendering
import AudioSessions
import Foundation
import TestSupport
import Testing

/// What an app would show, noted in order, and awaited without keeping a thread.
private struct Shown: Sendable {
    private let stream: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: String.self) }

    func note(_ what: String) { continuation.yield(what) }

    /// The next `count`, as soon as they are there.
    func next(_ count: Int) async -> [String] {
        var seen: [String] = []
        for await what in stream {
            seen.append(what)
            if seen.count == count { break }
        }
        return seen
    }
}

/// The samples of Documentation/Rules, run: what stands between `// [name]` and `// [end]` is what the pages show, and
/// `Scripts/check examples` compares the two.
@Suite struct PageTests {
    private let stage = Stage()
    private let session: AudioSession
    private let host: AudioSessionHost
    private let shown = Shown()

    init() throws {
        session = try stage.session()
        host = stage.host
    }

    @Test("CAT-2: an audiobook") func category() throws {
        // [category]
        try session.setCategory(.playback, mode: .spokenAudio)  // an audiobook: goes on when the silent switch is on
        try session.setActive(true)
        // [end]
        #expect(session.isActive && session.mode == .spokenAudio)
    }

    @Test("CAT-7: what the hardware can serve") func available() throws {
        // [available]
        if session.availableCategories.contains(.playAndRecord) {
            try session.setCategory(.playAndRecord, mode: .voiceChat)
        } else {
            try session.setCategory(.playback)  // listening is better than nothing
        }
        // [end]
        #expect(session.category == .playback, "this device has no input")
    }

    @Test("MODE-1: an unsuited mode") func unsuited() throws {
        // [unsuited]
        do {
            try session.setCategory(.playback, mode: .voiceChat)
        } catch let error as AudioSessionError where error.errorCode == .badParam {
            print(error.rule ?? "", error.message)  // MODE-1, and the modes that go with playback
        }
        // [end]
        #expect(session.category == .soloAmbient)
    }

    @Test("OPT-1: mixing") func mix() throws {
        let music = try stage.session(.playback)
        try music.setActive(true)
        // [mix]
        try session.setCategory(.playback, options: .mixWithOthers)  // beside the user's own music
        try session.setActive(true)  // interrupts nobody
        // [end]
        #expect(music.isActive)
        try session.setCategory(session.category, options: session.categoryOptions)
        #expect(session.categoryOptions == .mixWithOthers)
    }

    @Test("ACT-5, ACT-6: refused, and why") func activate() async throws {
        let show: (String) -> Void = { [shown] in shown.note($0) }
        let showLater = { show("later") }
        let showBringToForeground = { show("bring to foreground") }
        func ask() throws {
            // [activate]
            do {
                try session.setActive(true)
            } catch let error as AudioSessionError {
                switch error.errorCode {
                case .insufficientPriority: showLater()  // a call: try again when it is over, or by the user's hand
                case .cannotInterruptOthers, .cannotStartPlaying: showBringToForeground()
                default: show(error.message)  // says what was asked, what is so, what to do
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

    @Test("ACT-8: leaving with notice") func deactivate() throws {
        let music = try stage.session(.playback)
        let heard = Listener(AudioSession.interruptionNotification, of: music)
        try music.setActive(true)
        try session.setActive(true)
        // [deactivate]
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        // [end]
        try stage.drain()
        #expect(heard.heard.noted.last?[AudioSessionInterruptionOptionKey] == 1)
    }

    @Test("ACT-13: why") func explain() throws {
        try session.setActive(true)
        let prompt = try stage.session(.ambient, options: .duckOthers)
        try prompt.setActive(true)
        // [explain]
        for sentence in session.explain() { print(sentence) }  // session 1 is ducked by DUCK-1 because of session 2
        // [end]
        #expect(session.explain() == ["session \(session.id) is ducked by DUCK-1 because of session \(prompt.id)"])
    }

    @Test("INT-3: the end of an interruption, as an event") func events() async throws {
        let (session, shown) = (session, shown)
        let showPaused = { @Sendable in shown.note("paused") }
        let goOn = { @Sendable in shown.note("goes on") }
        let events = session.events
        try session.setActive(true)
        try host.ring()
        try host.declineCall()
        let following = Task {
            // [events]
            for await event in events {  // of session.events, taken before the first activation
                switch event {
                case .interruptionBegan: showPaused()  // it is silent already
                case .interruptionEnded(let shouldResume):
                    // Else the user decides.
                    guard shouldResume, (try? session.setActive(true)) != nil else { continue }
                    goOn()
                default: break
                }
            }
            // [end]
        }
        #expect(await shown.next(2) == ["paused", "goes on"])
        following.cancel()
        #expect(session.isActive)
    }

    @Test("INT-2, INT-3: the same as a notification") func notification() async throws {
        let shown = shown
        let showPaused = { @Sendable in shown.note("paused") }
        let goOn = { @Sendable in shown.note("goes on") }
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
            case .ended: if AudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume) { goOn() }
            }
        }
        // [end]
        defer { NotificationCenter.default.removeObserver(token) }
        try session.setActive(true)
        try host.ring()
        try host.declineCall()
        #expect(await shown.next(2) == ["paused", "goes on"])
    }

    @Test("DUCK-1: a prompt") func prompt() throws {
        let music = try stage.session(.playback)
        try music.setActive(true)
        func speak() throws { #expect(music.state.isDucked) }
        // [prompt]
        try session.setCategory(.playback, mode: .voicePrompt, options: .duckOthers)
        try session.setActive(true)  // others fall by 14 dB in 50 ms
        try speak()
        try session.setActive(false, options: .notifyOthersOnDeactivation)  // and return in 500 ms
        // [end]
        #expect(!music.state.isDucked && music.isActive)
    }

    /// What the page calls a soundtrack.
    private struct Soundtrack: Sendable {
        let shown: Shown
        func play() throws { shown.note("plays") }
        func pause() { shown.note("pauses") }
    }

    @Test("HINT-1, HINT-2: a soundtrack gives way") func hint() async throws {
        let (session, soundtrack, shown) = (session, Soundtrack(shown: shown), shown)
        let music = try stage.session(.playback)
        let player = Participant(music)
        let following = Task {
            // [hint]
            let events = session.events
            try session.setCategory(.ambient)
            try session.setActive(true)
            if session.secondaryAudioShouldBeSilencedHint { soundtrack.pause() } else { try soundtrack.play() }

            for await event in events {
                switch event {
                case .silenceSecondaryAudioHint(.begin): soundtrack.pause()
                case .silenceSecondaryAudioHint(.end): try soundtrack.play()
                default: break
                }
            }
            // [end]
        }
        #expect(await shown.next(1) == ["plays"])
        try music.setActive(true)
        player.run(true)
        #expect(await shown.next(1) == ["pauses"])
        try music.setActive(false)
        #expect(await shown.next(1) == ["plays"])
        following.cancel()
    }

    @Test("BG-1, BG-2: where an app is") func life() throws {
        let music = try stage.session(.playback)
        try music.setActive(true)
        // [life]
        try host.setDeclaresBackgroundAudio(true)  // the app is there to be heard, also when it is not seen
        try host.setApplicationState(.background)  // its window was closed
        try host.setScreenLocked(true)  // behind the lock every app is in the background
        // [end]
        #expect(music.isActive)
    }

    @Test("VOL-3: a clip in a list") func clip() throws {
        let music = try stage.session(.playback)
        try music.setActive(true)
        // [clip]
        try session.setCategory(.playback, mode: .shortFormVideo)
        try session.setOutputMuted(true)  // a clip in a list: it runs, and the user's music goes on
        try session.setActive(true)

        try session.setOutputMuted(false)  // the user tapped it: now the music is interrupted
        // [end]
        #expect(music.state.activity == .interrupted)
    }

    @Test("PERM-2, PERM-4: asking, and a mute button") func permission() async throws {
        let (application, shown) = (host.application, shown)
        host.setRecordPermissionPrompt { answer in answer(false) }
        let showWhyItIsSilent = { @Sendable in shown.note("silent") }
        // [permission]
        application.requestRecordPermission { isGranted in
            if !isGranted { showWhyItIsSilent() }
        }
        try application.setInputMuted(true)  // the mute button of a call
        // [end]
        #expect(await shown.next(1) == ["silent"])
        #expect(application.isInputMuted && application.recordPermission == .denied)
    }

    @Test("HW-1: a wish and what came of it") func hardware() throws {
        // [hardware]
        try session.setPreferredIOBufferDuration(0.005)  // a wish
        try session.setActive(true)
        print(session.ioBufferDuration, session.sampleRate)  // what came of it
        // [end]
        #expect(session.ioBufferDuration == 0.005)
    }

    @Test("SRV-1, SRV-2: the server went and came back") func lost() async throws {
        let driver = FaultyDriver()
        let session = try AudioSession(host: AudioSessionHost(driver: driver))
        let shown = shown
        let showNoSound = { @Sendable in shown.note("no sound") }
        let showPlaying = { @Sendable in shown.note("playing") }
        let events = session.events
        try session.setActive(true)
        driver.tell(.serverLost)
        driver.tell(.serverReturned(try #require(driver.format)))
        let following = Task {
            // [lost]
            for await event in events {  // of session.events
                switch event {
                case .mediaServicesWereLost: showNoSound()
                case .mediaServicesWereReset: showPlaying()  // it goes on by itself
                default: break
                }
            }
            // [end]
        }
        #expect(await shown.next(2) == ["no sound", "playing"])
        following.cancel()
    }
}
