import ArgumentParser
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import Platform
import ProgramSupport
import SessionProgramSupport

/// The `player` command: plays sound files through an audio session.
@main
struct PlayerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "player",
        abstract: "Plays sound files through an audio session, on a JACK server or into a file.",
        discussion: """
            On a terminal, the player shows a full-screen interface. Keys: space plays and pauses, left and right seek \
            by 5 s, up and down change the volume, i begins and ends an interruption, s toggles the silent switch, p \
            plays the prompt, q quits.

            Exit status: 0 success, 64 usage error, 65 file cannot be decoded, 66 file not found, 69 server \
            unavailable, 70 internal error, 73 file cannot be written, 74 output cannot be written, 77 permission denied.
            """,
        version: ProgramVersion.text("player"))

    @OptionGroup var options: PlayerOptions

    static func main() { runProgram(ByteArguments.encoded) }

    func run() throws {
        let code = play()
        if code != 0 { throw ExitCode(code) }
    }

    /// Plays until playback is over. Returns the exit status; a failure is reported, not thrown.
    private func play() -> Int32 {
        let usesScreen = options.render == nil && options.interface.wantsScreen
        let reporter = Reporter<PlayerEventKind>(
            style: options.interface.reportStyle(usesScreen: usesScreen), program: "player")
        do {
            if let path = options.render { return try renderOffline(to: path, reporter) }
            return try playLive(reporter, usesScreen)
        } catch {
            return reporter.end(with: error)
        }
    }

    // MARK: Live

    /// Plays on a JACK server, with or without the full-screen interface. Returns the exit status.
    private func playLive(_ reporter: Reporter<PlayerEventKind>, _ usesScreen: Bool) throws -> Int32 {
        try checkFiles()
        try options.interface.checkScreen()
        let host = AudioSessionHost(
            driver: JackDriver(configuration: driverConfiguration), arbitration: .automatic)
        defer { host.close() }
        let wakeUp = WakeUp()
        let controller = try PlaybackController(options: options, host: host, reporter: reporter, wakeUp: wakeUp)
        let exitSignal = ExitSignal(wakeUp)
        try controller.start()
        let screen = usesScreen ? try options.interface.openScreen() : nil
        let outcome = Result { try liveLoop(controller, screen, exitSignal, wakeUp) }
        screen?.close()
        reporter.screenIsClosed()
        return try finish(controller, reporter, host, outcome)
    }

    // Advances the controller after each event, key and signal and at each scheduled time, until it
    // is over or the user quits. Throws if the server is gone.
    private func liveLoop(
        _ controller: PlaybackController, _ screen: Screen?, _ exitSignal: ExitSignal, _ wakeUp: WakeUp
    ) throws {
        let clock = ContinuousClock()
        let begin = clock.now
        var meters = ScreenMeters()
        func elapsed() -> Double { (clock.now - begin) / .seconds(1) }
        while !exitSignal.isRaised, !controller.isOver || controller.serverIsGone {
            // The meters of the screen move ten times a second. Otherwise, once a second suffices:
            // for the position, and for xruns that were not yet reported.
            let isMoving = screen != nil && (controller.isAudible || !meters.areAtRest)
            let next = min(elapsed() + (isMoving ? 0.1 : 1), controller.nextTime ?? .infinity)
            let wait = max(0, (next - elapsed()) * 1000).rounded(.up)
            wakeUp.wait(milliseconds: Int32(min(wait, 1000)), orInput: screen != nil)
            // Read before the step, so that the events of the loss are reported with a time that is
            // not earlier than the loss.
            let isGone = controller.serverIsGone
            try controller.step(to: elapsed())
            guard !isGone else { throw options.server.serverIsGone("player") }
            if let screen {
                while let key = screen.key() { if perform(key, controller) { return } }
                let status = controller.status()
                meters.update(status.peaks)
                screen.draw(screen.layout.lines(status, controller.observer, levels: meters.levels))
            }
        }
    }

    /// Performs the action of a key. Returns whether it was the key to quit.
    private func perform(_ key: Screen.Key, _ controller: PlaybackController) -> Bool {
        switch key {
        case .character(" "): controller.togglePlaying()
        case .left: controller.seek(by: -5)
        case .right: controller.seek(by: 5)
        case .up: controller.changeVolume(byDecibels: 1)
        case .down: controller.changeVolume(byDecibels: -1)
        case .character("n"): controller.next()
        case .character("b"): controller.previous()
        case .character("i"): controller.toggleInterruption()
        case .character("s"): controller.toggleSilentSwitch()
        case .character("p"): controller.speakPrompt()
        case .character("q"): return true
        default: break
        }
        return false
    }

    private var driverConfiguration: JackDriver.Configuration {
        var configuration = options.server.configuration(
            clientName: "player", sampleRate: options.session.sampleRate)
        configuration.connections = options.connections.mode
        return configuration
    }

    // Checked before the server is contacted, so that a wrong file name is reported as such.
    private func checkFiles() throws {
        for file in options.sources { _ = try AudioFile(path: file) }
        if let capture = options.capture { try refuse(writing: capture) }
    }

    // Writing truncates the file: an input file would be lost.
    private func refuse(writing path: AudioFilePath) throws {
        var written = stat()
        guard path.withCString({ stat($0, &written) }) == 0 else { return }
        for file in options.sources {
            var played = stat()
            if file.withCString({ stat($0, &played) }) == 0, played.st_dev == written.st_dev,
                played.st_ino == written.st_ino
            {
                throw ProgramFailure(.usage, "'\(path)' is also an input file; write to another file.")
            }
        }
    }

    // MARK: Offline

    /// Renders as fast as possible, without a server, into the file at `path`: in stereo, at the
    /// rate of `--sample-rate` or else of the first file. A signal ends the file early. Returns the
    /// exit status.
    private func renderOffline(to path: AudioFilePath, _ reporter: Reporter<PlayerEventKind>) throws -> Int32 {
        let first = try AudioFile(path: options.files[0])
        try refuse(writing: path)
        let rate = options.session.sampleRate ?? Double(first.sampleRate)
        guard (1_000...768_000).contains(rate) else {
            throw ProgramFailure(.usage, "--sample-rate \(rate): give a rate from 1000 to 768000 Hz.")
        }
        let driver = OfflineDriver(sampleRate: Int(rate), channels: 2)
        let host = AudioSessionHost(driver: driver)
        defer { host.close() }
        let wakeUp = WakeUp()
        let controller = try PlaybackController(options: options, host: host, reporter: reporter, wakeUp: wakeUp)
        let exitSignal = ExitSignal(wakeUp)
        try controller.start()
        try controller.engine.startCapture(path: path)
        let outcome = Result {
            var frame = 0
            while !controller.isOver, !exitSignal.isRaised {
                host.settle()  // waits until the events of the last block have been delivered
                try controller.step(to: Double(frame) / rate)
                host.settle()  // waits until the step's actions have taken effect
                guard !controller.isOver else { break }
                frame += try renderBlock(controller, driver, from: frame, rate: rate)
            }
        }
        return try finish(controller, reporter, host, outcome)
    }

    // Renders up to the next scheduled action, at most 20 ms.
    private func renderBlock(_ controller: PlaybackController, _ driver: OfflineDriver, from frame: Int, rate: Double)
        throws -> Int
    {
        var frames = max(1, Int(rate / 50))
        if let next = controller.nextTime { frames = max(1, min(frames, Int((next * rate).rounded(.up)) - frame)) }
        try driver.render(frames: frames)
        return frames
    }

    // MARK: Finishing

    /// Stops the engine, reports the loudness, completes the capture and deactivates the sessions.
    /// Returns the exit status, which is that of the first damaged file if there was one. Throws if
    /// the capture is incomplete, otherwise the error that ended the run.
    private func finish(
        _ controller: PlaybackController, _ reporter: Reporter<PlayerEventKind>, _ host: AudioSessionHost,
        _ outcome: Result<Void, any Error>
    ) throws -> Int32 {
        controller.observe()
        controller.engine.stop()
        controller.reportLoudness()
        let summary = controller.engine.stopCapture()
        controller.deactivateSessions()
        if let summary { try report(summary, reporter) }
        if case .failure(let error) = outcome { throw error }
        try reporter.checkOutput()
        return controller.damage?.status.rawValue ?? 0
    }

    /// Throws if the captured file is incomplete.
    private func report(_ summary: CaptureSummary, _ reporter: Reporter<PlayerEventKind>) throws {
        if let failure = summary.failure { throw failure }
        guard summary.lostPeriods == 0 else {
            throw ProgramFailure(
                .cannotCreate,
                "The disk was too slow: \(summary.lostPeriods) periods are missing in '\(summary.path)'; use a faster disk."
            )
        }
    }
}
