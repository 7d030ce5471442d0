import AudioPlayback
import AudioRendering
import Foundation
import TestRandom
import TestSupport

/// Full disks, and files that shrink.
extension SoakFixture {
    /// Captures to a disk of 64 KiB; if that cannot be mounted, to one without space. The capture
    /// must end with an error, without an effect on playback.
    func captureToFullDisk() throws {
        let mountPoint = folder.file("disk")
        try FileManager.default.createDirectory(atPath: mountPoint, withIntermediateDirectories: true)
        let isMade = try ChildProcess.run("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", mountPoint]).status == 0
        defer { if isMade { _ = try? ChildProcess.run("umount", [mountPoint]) } }
        let file = mountPoint + "/full.wav"
        if !isMade, !FileManager.default.fileExists(atPath: file) {
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/full")
        }
        journal.note("capture to a full disk")
        let before = captureFailures.noted.count
        do throws(CaptureError) {
            try engine.startCapture(path: file)
        } catch {
            journal.note("the capture was refused: \(error)")
            return
        }
        let isNotified = wait { captureFailures.noted.count > before }
        let summary = engine.stopCapture()
        if !isNotified || summary?.failure == nil {
            checker.note("A capture to a full disk did not report its failure: \(String(describing: summary)).")
        }
    }

    /// Truncates a file that another player plays instead of the music. That player must end,
    /// damaged or finished.
    func truncateFile(_ random: inout SeededGenerator) throws {
        let path = folder.file("cut.wav")
        let counting = Signal.counting(frames: 480_000)
        try SoundFile.write([counting, [Float](repeating: 0, count: counting.count)], sampleRate: 48_000, to: path)
        // The new end of the file is not the end of a sound.
        try event("a file is truncated while it streams", .cut) {
            music.pause()
            letPass(1_200)
            let player = try AudioPlayer(path: path, session: music.session)
            let endings = EventLog<AudioPlayer.Ending>()
            player.onFinish { _, ending in endings.note(ending) }
            attempt("play") { try player.play() }
            letPass(4_800 + random.below(9_600))
            truncate(path, random.oneIn(2) ? 4_000 : 8 * (20_000 + random.below(100_000)))
            if player.isPlaying, !wait(until: { !endings.noted.isEmpty || !player.isPlaying }) {
                checker.note("A file was truncated, but its player does not end.")
            }
            player.stop()
            letPass(1_200)
        }
    }
}
