import AudioPlayback
import AudioRendering
import Foundation
import TestRandom
import TestSupport

/// Disks that are full, files that shrink.
extension SoakFixture {
    /// A capture to a disk that takes 64 KiB; where none may be made, to one that takes nothing. Ended with an error, and nobody who plays hears of it.
    func captureToFullDisk() throws {
        let place = folder.file("disk")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let isMade = try ChildProcess.run("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", place]).status == 0
        defer { if isMade { _ = try? ChildProcess.run("umount", [place]) } }
        let file = place + "/full.wav"
        if !isMade, !FileManager.default.fileExists(atPath: file) {
            try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/full")
        }
        journal.note("capture to a full disk")
        let before = captureFailures.noted.count
        do throws(CaptureError) {
            try engine.startCapture(path: file)
        } catch {
            journal.note("it is refused: \(error)")
            return
        }
        let isTold = wait { captureFailures.noted.count > before }
        let summary = engine.stopCapture()
        if !isTold || summary?.failure == nil {
            examiner.note("A capture to a full disk was not told to have failed: \(String(describing: summary)).")
        }
    }

    /// A file that another player plays instead of the music is cut off under it: that player ends, damaged or finished.
    func truncateFile(_ random: inout SeededGenerator) throws {
        let path = folder.file("cut.wav")
        let counting = Signal.counting(frames: 480_000)
        try SoundFile.write([counting, [Float](repeating: 0, count: counting.count)], sampleRate: 48_000, to: path)
        // Where the file ends now is no end of a sound.
        try event("a file is truncated while it streams", .cut) {
            music.pause()
            letPass(1_200)
            let player = try AudioPlayer(path: path, session: music.session)
            let endings = Signpost<AudioPlayer.Ending>()
            player.onFinish { _, ending in endings.note(ending) }
            attempt("play") { try player.play() }
            letPass(4_800 + random.below(9_600))
            truncate(path, random.oneIn(2) ? 4_000 : 8 * (20_000 + random.below(100_000)))
            if player.isPlaying, !wait(until: { !endings.noted.isEmpty || !player.isPlaying }) {
                examiner.note("A file was truncated, and its player does not end.")
            }
            player.stop()
            letPass(1_200)
        }
    }
}
