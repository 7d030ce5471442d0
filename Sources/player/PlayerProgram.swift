import AudioRendering
import AudioSessions
import Foundation
import JackDriver

/// One run of the player, from the command line to the exit status.
struct PlayerProgram {
    let command: PlayerCommand

    /// Runs until the scene is over. Returns the exit status.
    func run() -> Int32 {
        let screenWanted = wantsScreen
        let reporter = Reporter(
            style: command.events != nil ? .json : screenWanted ? .screen : command.ui == .none ? .silent : .lines)
        do {
            return try command.render != nil ? renderOffline(reporter) : playLive(reporter, screenWanted)
        } catch {
            let failure = PlayerFailure(error)
            reporter.screenIsClosed()
            reporter.fail(failure)
            return failure.status.rawValue
        }
    }

    private var wantsScreen: Bool {
        guard command.events == nil, command.render == nil else { return false }
        return command.ui == .full || (command.ui == .auto && Screen.isPossible)
    }

    private static let noScreen = PlayerFailure(.usage, "There is no terminal that can show a screen; use --ui lines.")

    // MARK: Live

    private func playLive(_ reporter: Reporter, _ screenWanted: Bool) throws -> Int32 {
        try checkFiles()
        guard command.ui != .full || Screen.isPossible else { throw Self.noScreen }
        let host = AudioSessionHost(
            driver: JackDriver(configuration: driverConfiguration), arbitration: .automatic)
        defer { host.close() }
        let scene = try Scene(command: command, host: host, reporter: reporter)
        let interruption = ExitSignal()
        try scene.start()
        let screen = screenWanted ? Screen() : nil
        guard !screenWanted || screen != nil else { throw Self.noScreen }
        let outcome = Result { try liveLoop(scene, screen, interruption) }
        screen?.close()
        reporter.screenIsClosed()
        return try finish(scene, reporter, host, outcome)
    }

    // A step every 40 ms: a picture to the eye, and far finer than anything scheduled here needs.
    private func liveLoop(_ scene: Scene, _ screen: Screen?, _ interruption: ExitSignal) throws {
        let clock = ContinuousClock()
        let begin = clock.now
        while !interruption.isRaised, !scene.isOver || scene.serverIsGone {
            interruption.wait(milliseconds: 40, orInput: screen != nil)
            // Asked first: what is told of it has a time that is not before it.
            let isGone = scene.serverIsGone
            let elapsed = clock.now - begin
            try scene.step(
                to: Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18)
            guard !isGone else {
                throw PlayerFailure(
                    .unavailable, "The JACK server died and did not come back; start it again and play once more.")
            }
            if let screen {
                while let key = screen.key() { if perform(key, scene) { return } }
                screen.draw(scene.status())
            }
        }
    }

    /// Returns whether it was the key to quit.
    private func perform(_ key: Screen.Key, _ scene: Scene) -> Bool {
        switch key {
        case .playPause: scene.togglePlaying()
        case .back: scene.seek(by: -5)
        case .forward: scene.seek(by: 5)
        case .louder: scene.changeVolume(byDecibels: 1)
        case .softer: scene.changeVolume(byDecibels: -1)
        case .interruption: scene.toggleInterruption()
        case .silentSwitch: scene.toggleSilentSwitch()
        case .prompt: scene.speakPrompt()
        case .quit: return true
        }
        return false
    }

    private var driverConfiguration: JackDriver.Configuration {
        let choice: JackDriver.ServerChoice =
            switch command.server {
            case "auto": .automatic
            case "managed": .managed
            default: .named(command.server)
            }
        var managed = ManagedServer()
        // A server that is started for us begins with what is preferred; one that runs keeps its own (HW-1).
        if let rate = command.sampleRate, (1_000...768_000).contains(rate) { managed.sampleRate = Int(rate) }
        return JackDriver.Configuration(
            server: choice, clientName: "player", recovery: .within(seconds: command.wait), managedServer: managed,
            connections: JackDriver.ConnectionMode(rawValue: command.connections.rawValue) ?? .device)
    }

    // Before any server is touched: who names a wrong file shall not hear of servers.
    private func checkFiles() throws {
        for file in command.sources { _ = try AudioFile(path: file) }
        if let capture = command.capture { try refuse(writing: capture) }
    }

    // What is written begins with nothing: a file that is to be played would be gone.
    private func refuse(writing path: String) throws {
        var written = stat()
        guard stat(path, &written) == 0 else { return }
        for file in command.sources {
            var played = stat()
            if stat(file, &played) == 0, played.st_dev == written.st_dev, played.st_ino == written.st_ino {
                throw PlayerFailure(.usage, "'\(path)' is a file to be played; write to another one.")
            }
        }
    }

    // MARK: Offline

    private func renderOffline(_ reporter: Reporter) throws -> Int32 {
        let first = try AudioFile(path: command.files[0])
        if let render = command.render { try refuse(writing: render) }
        let rate = command.sampleRate ?? Double(first.sampleRate)
        guard (1_000...768_000).contains(rate) else {
            throw PlayerFailure(.usage, "--sample-rate \(rate): give a rate from 1000 to 768000 Hz.")
        }
        let driver = OfflineDriver(sampleRate: Int(rate), channels: 2)
        let host = AudioSessionHost(driver: driver)
        defer { host.close() }
        let scene = try Scene(command: command, host: host, reporter: reporter)
        let interruption = ExitSignal()
        try scene.start()
        if let path = command.render { try scene.engine.startCapture(path: path) }
        let outcome = Result {
            var frame = 0
            while !scene.isOver, !interruption.isRaised {
                host.settle()  // what ended in the last piece has been told, whichever thread tells it
                try scene.step(to: Double(frame) / rate)
                host.settle()
                guard !scene.isOver else { break }
                frame += try renderPiece(scene, driver, from: frame, rate: rate)
            }
        }
        return try finish(scene, reporter, host, outcome)
    }

    // Up to the next scheduled moment, and never more than 20 ms.
    private func renderPiece(_ scene: Scene, _ driver: OfflineDriver, from frame: Int, rate: Double) throws -> Int {
        var frames = max(1, Int(rate / 50))
        if let next = scene.nextTime { frames = max(1, min(frames, Int((next * rate).rounded(.up)) - frame)) }
        try driver.render(frames: frames)
        return frames
    }

    // MARK: The end

    private func finish(
        _ scene: Scene, _ reporter: Reporter, _ host: AudioSessionHost, _ outcome: Result<Void, any Error>
    ) throws -> Int32 {
        scene.observe()
        scene.engine.stop()
        scene.tellLoudness()
        let summary = scene.engine.stopCapture()
        scene.leave()
        if let summary { try report(summary, reporter) }
        if case .failure(let error) = outcome { throw error }
        return scene.damage?.status.rawValue ?? 0
    }

    private func report(_ summary: CaptureSummary, _ reporter: Reporter) throws {
        if let failure = summary.failure { throw failure }
        guard summary.lostPeriods == 0 else {
            throw PlayerFailure(
                .cannotCreate,
                "The disk was too slow: \(summary.lostPeriods) periods are missing in '\(summary.path)'; write to a faster one."
            )
        }
    }
}
