import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Platform
import TestSupport
import Testing

/// Runs the samples of the pages on audible behavior. The pages show the code between `// [name]`
/// and `// [end]`; `Scripts/check examples` compares the two.
@Suite struct PageSoundTests {
    private let stage = HostFixture()
    private let session: AudioSession
    private let host: AudioSessionHost
    private let shown = Shown()

    init() throws {
        session = try stage.session()
        host = stage.host
    }

    @Test("OPT-1: mixing") func mix() throws {
        let music = try stage.session(.playback)
        try music.setActive(true)
        // [mix]
        // Alongside the user's own music.
        try session.setCategory(.playback, options: .mixWithOthers)
        try session.setActive(true)  // interrupts no other session
        // [end]
        #expect(music.isActive)
        try session.setCategory(session.category, options: session.categoryOptions)
        #expect(session.categoryOptions == .mixWithOthers)
    }

    @Test("DUCK-1: a prompt") func prompt() throws {
        let music = try stage.session(.playback)
        try music.setActive(true)
        func speak() throws { #expect(music.state.isDucked) }
        // [prompt]
        try session.setCategory(.playback, mode: .voicePrompt, options: .duckOthers)
        try session.setActive(true)  // other sessions are ducked by 14 dB in 50 ms
        try speak()
        // Restores them in 500 ms.
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        // [end]
        #expect(!music.state.isDucked && music.isActive)
    }

    @Test("DUCK-2: a session that ducks only while it is audible") func audible() throws {
        let music = try stage.session(.playback)
        try music.setActive(true)
        // [audible]
        try session.setCategory(.playback, mode: .voicePrompt, options: .duckOthers)
        try session.setDucksOnlyWhileAudible(true)
        try session.setActive(true)
        // [end]
        #expect(!music.state.isDucked && session.isActive)
    }

    /// The object that the page calls a soundtrack.
    private struct Soundtrack: Sendable {
        let shown: Shown
        func play() throws { shown.note("plays") }
        func pause() { shown.note("pauses") }
    }

    @Test("HINT-1, HINT-2: a soundtrack yields") func hint() async throws {
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

    @Test("HINT-3, INT-9: an engine of the app's own, as a participant") func participant() throws {
        let other = try stage.session(.ambient)
        let synthesizer = Synthesizer(session)
        try session.setCategory(.playback)
        try other.setActive(true)
        try synthesizer.start()
        #expect(session.isActive && other.isOtherAudioPlaying)
        try host.beginInterruption(by: .alarm)
        host.settle()
        #expect(!synthesizer.isRunning)
        try host.endInterruption(shouldResume: true)
        host.settle()
        #expect(synthesizer.isRunning && session.isActive)
        synthesizer.stop()
        #expect(!other.isOtherAudioPlaying)
        try synthesizer.start()
        try session.setActive(false)
        #expect(!synthesizer.isRunning)
    }

    @Test("BG-1, BG-2: the state of an app") func life() throws {
        let music = try stage.session(.playback)
        try music.setActive(true)
        // [life]
        try host.setDeclaresBackgroundAudio(true)  // the app may play without being visible
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
        try session.setOutputMuted(true)  // plays muted; the user's music continues
        try session.setActive(true)

        try session.setOutputMuted(false)  // the user tapped it: interrupts the music
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

    @Test("PLAY-1: a player and a queue") func players() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.wav")
        let source = Signal.counting(frames: 500)
        try SoundFile.write([source], sampleRate: 48_000, to: path)
        let paths = [path, path]
        let shown = shown
        try session.setCategory(.playback)
        try await play(path, { _ in shown.note("ended") })
        #expect(await shown.next(1) == ["ended"])
        let show = { @Sendable (event: AudioQueuePlayer.Event) in if case .itemStarted = event { shown.note("item") } }
        // [queue]
        let queue = try AudioQueuePlayer(session: session)
        for path in paths { queue.append(.file(path)) }
        queue.repeatMode = .all
        queue.onEvent { event in show(event) }
        try queue.play()
        // [end]
        #expect(Signal.firstDifference(try stage.render(1_200), source + source + source[..<200]) == nil)
        #expect(await shown.next(3) == ["item", "item", "item"])
        // [normalized]
        let gain = try LoudnessNormalization(target: -18).gain(for: .file(path))
        queue.append(.file(path), gain: gain)
        // [end]
        #expect(gain == 1 && queue.items.count == 3, "too short for a measurement")
    }

    @Test("PLAY-3, PLAY-4, PLAY-5: a system sound, a movie with a session of its own, a capture") func others() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.wav")
        try SoundFile.write([[Float](repeating: 0.5, count: 4_800)], sampleRate: 48_000, to: path)
        do {
            // The sample is compiled, not run: it would play on the user's device.
            func play() throws {
                // [systemSound]
                SystemSound.play(.messageNewInstant)  // of the user's sound theme

                let click = try SystemSound(path: path)  // keep it: its samples are in memory
                click.play()
                // [end]
            }
            _ = play
        }
        try session.setCategory(.playback)
        try session.setActive(true)
        // [movie]
        // All other primary sound, the app's own included, stops while the movie plays.
        let movie = try MoviePlayer(.file(path), session: session, usesApplicationSession: false)
        try movie.play()
        // [end]
        #expect(!session.isActive && movie.session.isActive)
        movie.stop()
        host.setRecordPermission(.granted)
        let encoded = EventLog<Int>()
        func encode(_ samples: [Float], at time: UInt64) { encoded.note(samples.count) }
        // [capture]
        let capture = try AudioCapture(session: session, channels: 1)
        try capture.start()
        // With each picture: what was captured since the last one.
        let encodeSound = {
            while let block = capture.read() { encode(block.samples, at: block.time) }
        }
        // [end]
        #expect(session.category == .playAndRecord && capture.isRunning)
        host.settle()
        _ = try stage.driver.render(frames: 1_024, inputs: [Signal.counting(frames: 1_024)])
        encodeSound()
        #expect(encoded.noted == [1_024])
    }

    @Test("REMOTE-1, REMOTE-3: a remote control of a player, and of an app's own playback") func remoteControl()
        async throws
    {
        let directory = try TemporaryDirectory()
        let path = directory.file("a.wav")
        try SoundFile.write([Signal.counting(frames: 48_000)], sampleRate: 48_000, to: path)
        let paths = [path, path]
        let shown = shown
        try session.setCategory(.playback)
        let quit = { @Sendable in shown.note("quit") }
        do {
            // [remote]
            let queue = try AudioQueuePlayer(session: session)
            for path in paths { queue.append(.file(path)) }
            let remote = try PlayerRemoteControl(queue)  // lives as long as you hold it
            try session.remoteControl.setHandler(for: [.quit]) { _ in quit() }
            try queue.play()
            // [end]
            try host.sendRemoteCommand(.quit)
            #expect(await shown.next(1) == ["quit"])
            try host.sendRemoteCommand(.pause)
            host.settle()
            #expect(queue.isPaused)
            withExtendedLifetime(remote) {}
        }
        let station = Station(shown: shown)
        // [nowplaying]
        let remote = session.remoteControl
        try remote.setHandler(for: [.play, .pause, .nextTrack]) { command in station.perform(command) }
        try remote.setNowPlaying(
            NowPlayingInfo(
                .playing, title: "Morning show", artist: "A station", artworkURL: "https://example.org/logo.png"))
        // [end]
        try host.sendRemoteCommand(.nextTrack)
        #expect(await shown.next(1) == ["nextTrack"])
        #expect(remote.nowPlaying?.artist == "A station")
    }

    private struct Station: Sendable {
        let shown: Shown
        func perform(_ command: RemoteCommand) { shown.note(command.kind.rawValue) }
    }

    private func play(_ path: String, _ show: @escaping @Sendable (AudioPlayer.Ending) -> Void) async throws {
        // [player]
        let player = try AudioPlayer(path: path, session: session)
        player.onFinish { _, ending in show(ending) }
        player.numberOfLoops = 1
        try player.play()
        // [end]
        let source = Signal.counting(frames: 500)
        #expect(Signal.firstDifference(try stage.render(1_000), source + source) == nil)
    }

    @Test("PLAY-2: a recording") func recorder() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("take.wav")
        let shown = shown
        let show = { @Sendable (event: AudioRecorder.Event) in if case .ended = event { shown.note("ended") } }
        try session.setCategory(.playAndRecord)
        // [recorder]
        let recorder = try AudioRecorder(path: path, session: session)
        recorder.onEvent { event in show(event) }
        try recorder.record()
        // [end]
        _ = try stage.render(1_000)
        recorder.stop()
        #expect(await shown.next(1) == ["ended"])
        #expect(try SoundFile.read(path).planes[0].count == 1_000)
    }

    @Test("HW-1: a preferred value and the actual one") func hardware() throws {
        // [hardware]
        try session.setPreferredIOBufferDuration(0.005)  // a preferred value
        try session.setActive(true)
        print(session.ioBufferDuration, session.sampleRate)  // the actual values
        // [end]
        #expect(session.ioBufferDuration == 0.005)
    }

    @Test("SRV-1, SRV-2: the server is lost and returns") func lost() async throws {
        let driver = FaultyDriver()
        let session = try AudioSession(host: AudioSessionHost(driver: driver))
        let shown = shown
        let showNoSound = { @Sendable in shown.note("no sound") }
        let showPlaying = { @Sendable in shown.note("playing") }
        let events = session.events
        try session.setActive(true)
        driver.notify(.serverLost)
        driver.notify(.serverReturned(try #require(driver.format)))
        let following = Task {
            // [lost]
            for await event in events {  // from session.events
                switch event {
                case .mediaServicesWereLost: showNoSound()
                case .mediaServicesWereReset: showPlaying()  // playback continues automatically
                default: break
                }
            }
            // [end]
        }
        #expect(await shown.next(2) == ["no sound", "playing"])
        following.cancel()
    }

    @Test("ROUTE-1, ROUTE-3: reading and observing the route") func route() async throws {
        let (session, shown) = (session, shown)
        try session.setCategory(.playback)
        try session.setActive(true)
        let showOutput = { @Sendable (name: String) in shown.note(name) }
        let following = Task {
            // [route]
            let changes = session.routeChanges
            for output in session.currentRoute.outputs { showOutput(output.portName) }

            for await change in changes where change.reason == .oldDeviceUnavailable {
                // The new route: session.currentRoute.
                print("was at \(change.previousRoute.outputs)")
                for output in session.currentRoute.outputs { showOutput(output.portName) }
            }
            // [end]
        }
        #expect(await shown.next(1) == ["Output of offline"])
        // [plug]
        try host.plug("Headphones", type: .headphones)  // the newest device becomes the route
        try host.unplug("Headphones")  // interrupts playback, which does not move to the speaker
        // [end]
        #expect(await shown.next(1) == ["Output of offline"])
        following.cancel()
    }
}

// [participant]
final class Synthesizer: SessionParticipant {
    private let session: AudioSession
    private let state = Mutex((isRunning: false, resumes: false))

    init(_ session: AudioSession) {
        self.session = session
        session.attach(self)
    }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    func start() throws {
        try session.activateToStart()
        run(true)
    }

    func stop() { run(false) }

    private func run(_ isRunning: Bool, resumes: Bool = false) {
        state.withLock { $0 = (isRunning, resumes) }
        session.participantsChanged()
    }

    func sessionWasInterrupted() { run(false, resumes: isRunning) }
    func sessionOutputWasDisconnected(isGone: Bool) { run(false) }
    func sessionInterruptionEnded(shouldResume: Bool) {
        if shouldResume, state.withLock({ $0.resumes }) { try? start() }
    }
    func sessionDidDeactivate() { run(false) }
}
// [end]
