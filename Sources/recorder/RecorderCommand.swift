import ArgumentParser
import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import JackDriver
import ProgramSupport
import SessionProgramSupport

/// The `recorder` command: records the input of an audio session to files.
@main
struct RecorderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recorder",
        abstract: "Records the input of an audio session to a sound file.",
        discussion: """
            WAV (RF64 beyond 4 GiB), W64, CAF and AIFF hold 32-bit floats, FLAC 24-bit integers; Opus is lossy. If the \
            recording continues in another file, that is NAME-2.EXT, NAME-3.EXT and so on. An interruption pauses the \
            recording. A signal (Ctrl-C) ends it; the files are then complete.

            On a terminal, the recorder shows a full-screen interface. Keys: space pauses and resumes, or starts at \
            once, n continues in another file, m turns the monitor on and off, q stops and quits.

            Exit status: 0 success, 64 usage error, 69 server or input unavailable, 70 internal error, 73 file cannot \
            be written or is incomplete, 74 output cannot be written, 75 another input or the system ended the \
            recording, 77 permission denied.
            """,
        version: ProgramVersion.text("recorder"))

    @OptionGroup var options: RecorderOptions

    static func main() { runProgram(ByteArguments.encoded) }

    func run() throws {
        let code = record()
        if code != 0 { throw ExitCode(code) }
    }

    /// Records until the recording is over. Returns the exit status; a failure is reported, not
    /// thrown.
    private func record() -> Int32 {
        let reporter = Reporter<RecorderEventKind>(
            style: options.interface.reportStyle(usesScreen: options.interface.wantsScreen), program: "recorder")
        do {
            return try record(reporter)
        } catch {
            return reporter.end(with: error)
        }
    }

    private func record(_ reporter: Reporter<RecorderEventKind>) throws -> Int32 {
        try Destination(path: options.file).check()
        try options.interface.checkScreen()
        let channels = options.firstChannel - 1 + (options.channels ?? 1)
        let host = AudioSessionHost(
            driver: JackDriver(configuration: driverConfiguration(channels: channels)),
            configuration: AudioEngine.Configuration(maximumChannels: max(8, channels)), arbitration: .automatic)
        defer { host.close() }
        let wakeUp = WakeUp()
        let controller = try RecordingController(options: options, host: host, reporter: reporter, wakeUp: wakeUp)
        let exitSignal = ExitSignal(wakeUp)
        try controller.start { exitSignal.isRaised }
        let outcome = Result {
            let screen = try options.interface.openScreen()
            defer {
                screen?.close()
                reporter.screenIsClosed()
            }
            try loop(controller, reporter, screen, exitSignal, wakeUp)
        }
        let status = Result { try controller.finish() }
        if case .failure(let error) = outcome { throw error }
        return try status.get()
    }

    private func driverConfiguration(channels: Int) -> JackDriver.Configuration {
        var configuration = options.server.configuration(
            clientName: "recorder", sampleRate: options.session.sampleRate)
        configuration.connections = options.connections.mode
        configuration.inputs = channels > 8 ? channels : nil
        return configuration
    }

    // Advances the controller after each event, key and signal and at each scheduled time, until it
    // is over or the user quits.
    private func loop(
        _ controller: RecordingController, _ reporter: Reporter<RecorderEventKind>, _ screen: Screen?,
        _ exitSignal: ExitSignal, _ wakeUp: WakeUp
    ) throws {
        var meters = ScreenMeters()
        while !exitSignal.isRaised, !controller.isOver {
            // The meters of the screen move ten times a second. Otherwise, once a second suffices
            // for the position.
            let next = min(screen == nil ? 1 : 0.1, controller.timeToNextAction ?? 1)
            wakeUp.wait(milliseconds: Int32((max(0, next) * 1000).rounded(.up)), orInput: screen != nil)
            try controller.step()
            guard let screen else { continue }
            while let key = screen.key() { if perform(key, controller) { return } }
            let status = controller.status(options, log: reporter.log)
            meters.update(status.levels.map(\.peak))
            screen.draw(screen.layout.lines(status, controller.observer, meters))
        }
    }

    /// Performs the action of a key. Returns whether it was the key to quit.
    private func perform(_ key: Screen.Key, _ controller: RecordingController) -> Bool {
        switch key {
        case .character(" "): controller.togglePause()
        case .character("n"): controller.beginNextFile()
        case .character("m"): controller.toggleMonitor()
        case .character("q"): return true
        default: break
        }
        return false
    }
}
