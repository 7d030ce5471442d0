import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestSupport

/// Scenarios with files that fail while they are read and written. They need no server.
extension Scenario {
    /// Captures five seconds to `path`, which may not have room for all, while playback continues.
    func runCapture() throws {
        let driver = OfflineDriver(sampleRate: 48_000, channels: 1, periodFrames: 256)
        let host = AudioSessionHost(driver: driver)
        let engine = try host.engine.get()
        let failures = EventLog<AudioFileError>()
        let observation = engine.observe { if case .captureFailed(let error) = $0 { failures.note(error) } }
        defer { withExtendedLifetime(observation) { engine.close() } }
        let session = try AudioSession(host: host)
        try session.setActive(true)
        let source = Signal.counting(frames: 240_000)
        try engine.play(.buffer(AudioBuffer([source])), on: session.bus)
        guard log.attempt("capture", { try engine.startCapture(path: path) }) != nil else { return }
        let output = try driver.render(frames: source.count)[0]
        log.note("output: \(Signal.firstDifference(output, source) ?? "whole")")
        log.note("failures: \(failures.noted.map(\.description))")
        guard let summary = engine.stopCapture() else { return log.note("FAULT: no capture was running") }
        log.note("summary: \(summary.failure?.description ?? "whole"), \(summary.lostPeriods) periods lost")
        let file: [Float]
        do {
            file = try SoundFile.read(path).planes[0]
        } catch { return log.note("file: error \(error)") }
        // Packed formats contain the last block completely or not at all.
        let isExact = path.hasSuffix("wav") || path.hasSuffix("w64") || path.hasSuffix("caf") || path.hasSuffix("aiff")
        let expected = isExact ? summary.frames : file.count
        let difference =
            isExact
            ? Signal.firstDifference(file, source.prefix(expected))
            : zip(file, source).contains { abs($0 - $1) > 0.02 } ? "it is another sound" : nil
        log.note("file: \(difference ?? "as far as it went"), \(file.count) of \(source.count) frames")
    }

    /// Captures five seconds to a file. After three of them, the fault applies to the file.
    func runRecording() throws {
        let driver = OfflineDriver(sampleRate: 48_000, channels: 1, periodFrames: 256)
        let host = AudioSessionHost(driver: driver)
        defer { host.close() }
        let engine = try host.engine.get()
        let directory = try TemporaryDirectory()
        let file = directory.file("capture.wav")
        let session = try AudioSession(host: host)
        try session.setActive(true)
        let source = Signal.counting(frames: 240_000)
        try engine.play(.buffer(AudioBuffer([source])), on: session.bus)
        try engine.startCapture(path: file)
        let before = try driver.render(frames: 144_000)[0]
        try damage(file)
        let output = before + (try driver.render(frames: 96_000)[0])
        log.note("output: \(Signal.firstDifference(output, source) ?? "whole")")
        let summary = engine.stopCapture()
        log.note("summary: \(summary?.failure?.description ?? "whole"), \(summary?.frames ?? 0) frames")
        guard let kept = try? SoundFile.read(file).planes[0] else { return log.note("file: none") }
        let cut = zip(kept, source).count { $0 == 0 && $1 != 0 }
        let isOther = zip(kept, source).contains { $0 != $1 && $0 != 0 }
        let isEndWhole = kept.suffix(90_000).elementsEqual(source.suffix(90_000))
        log.note(
            "file: \(kept.count) frames, \(cut > 0 ? "what was cut is silence" : "nothing was cut"), the rest is \(isOther || !isEndWhole ? "another sound" : "there")"
        )
    }

    /// Plays a file of five seconds. After one of them, the fault applies to the file.
    func runStreaming() throws {
        let driver = OfflineDriver(sampleRate: 48_000, channels: 1, periodFrames: 256)
        let host = AudioSessionHost(driver: driver)
        defer { host.close() }
        let source = Signal.counting(frames: 240_000)
        let directory = try TemporaryDirectory()
        let file = directory.file("music." + path)
        try SoundFile.write([source], sampleRate: 48_000, to: file)
        let session = try AudioSession(host: host)
        let player = try AudioPlayer(path: file, session: session)
        let endings = EventLog<AudioPlayer.Ending>()
        player.onFinish { _, ending in endings.note(ending) }
        try player.play()
        host.settle()
        let before = try driver.render(frames: 48_000)[0]
        try damage(file)
        let output = before + (try driver.render(frames: 240_000)[0])
        host.settle()
        let heard = zip(output, source).prefix { abs($0 - $1) < 0.001 }.count
        log.note("heard: \(heard) frames")
        log.note("after: \(output[heard...].contains { $0 != 0 } ? "another sound" : "silence")")
        for ending in endings.noted {
            switch ending {
            case .finished: log.note("ending: finished")
            case .damaged(let error): log.note("ending: damaged: \(error)")
            case .refused(let error): log.note("ending: refused: \(error)")
            }
        }
        log.attempt("play again") { try player.play() }
        host.settle()
        let again = try driver.render(frames: 4_800)[0]
        log.note("again: \(again.contains { $0 != 0 } ? "sound" : "silence")")
    }

    private func damage(_ file: String) throws {
        switch fault {
        case "truncate": truncate(file, 400_000)
        case "empty": truncate(file, 0)
        case "delete": unlink(file)
        case "replace":
            try SoundFile.write([[Float](repeating: 0.25, count: 1_000)], sampleRate: 8_000, to: file + ".wav")
            rename(file + ".wav", file)
        case "overwrite":
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
            try handle.seek(toOffset: 400_000)
            try handle.write(contentsOf: Data(repeating: 0xff, count: 2_000_000))
            try handle.close()
        default: break
        }
    }
}
