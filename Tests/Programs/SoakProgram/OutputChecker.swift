import AudioRendering
import Foundation
import TestSupport

/// Examines what devices recorded, counts, and saves every glitch: one second before and after it
/// as a WAV file, and the events as text.
final class OutputChecker {
    private let folder: String
    private let journal: RunLog
    private(set) var glitches: [String] = []
    private(set) var total = GlitchDetector.Findings()
    private(set) var devices = 0

    init(folder: String, journal: RunLog) throws {
        self.folder = folder
        self.journal = journal
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Removes the files of an earlier run.
        for name in try files.contentsOfDirectory(atPath: folder) where name.hasPrefix("glitch-") {
            try files.removeItem(atPath: folder + "/" + name)
        }
    }

    /// Records a failed check of another kind. It counts as a glitch.
    func note(_ complaint: String) {
        journal.note("FAULT: " + complaint)
        glitches.append(complaint)
        let text = ([complaint, ""] + journal.last()).joined(separator: "\n") + "\n"
        try? text.write(toFile: path("txt"), atomically: true, encoding: .utf8)
    }

    /// Examines the recording of a device that has been removed.
    func examine(_ listener: RecordingDevice) throws {
        // Not mapped: if the file shrank meanwhile, a bus error would end the soak.
        let data = try Data(contentsOf: URL(fileURLWithPath: listener.device.capturePath))
        let begin = listener.header
        let frames = (data.count - begin) / 8
        devices += 1
        var planes = [[Float]](repeating: [Float](repeating: 0, count: frames), count: 2)
        data.withUnsafeBytes { bytes in
            for channel in planes.indices {
                planes[channel].withUnsafeMutableBufferPointer { plane in
                    for frame in 0..<frames {
                        plane[frame] = bytes.loadUnaligned(
                            fromByteOffset: begin + frame * 8 + channel * 4, as: Float.self)
                    }
                }
            }
        }
        let notes = listener.noted
        for channel in planes.indices {
            let detector = GlitchDetector(
                sampleRate: listener.sampleRate, isApproximate: channel == 0 && listener.mayBeResampled,
                mayGap: listener.mayGap,
                channel: channel, notes: notes)
            let findings = planes[channel].withUnsafeBufferPointer { detector.examine($0) }
            total.excused += findings.excused
            total.lostFrames += findings.lostFrames
            total.fades += findings.fades
            total.gaps += findings.gaps
            total.pauses += findings.pauses
            total.frames += findings.frames
            for glitch in findings.glitches { save(glitch, planes, listener, notes) }
        }
    }

    private func save(
        _ glitch: GlitchDetector.Glitch, _ planes: [[Float]], _ listener: RecordingDevice,
        _ notes: RecordingDevice.Notes
    ) {
        let location =
            "device '\(listener.name)', channel \(glitch.channel), frame \(glitch.frame) of \(planes[0].count)"
        let complaint = "glitch: \(glitch.fault.rawValue): \(glitch.what) (\(location))"
        journal.note("FAULT: " + complaint)
        glitches.append(complaint)
        let from = max(0, glitch.frame - listener.sampleRate)
        let to = min(planes[0].count, glitch.frame + listener.sampleRate)
        let excerpt = planes.map { Array($0[from..<to]) }
        try? SoundFile.write(excerpt, sampleRate: listener.sampleRate, to: path("wav"))
        let event = notes.spans.last { $0.begin <= glitch.frame }?.event ?? 0
        let spans = notes.spans.filter { $0.begin <= to && $0.end >= from }.map {
            "  #\($0.event) \($0.nature): frames \($0.begin)..<\($0.end == .max ? "…" : "\($0.end)")"
        }
        let around = planes[glitch.channel][max(0, glitch.frame - 4)..<min(planes[0].count, glitch.frame + 5)]
        let text =
            [
                complaint, "", "the WAV file begins at frame \(from)",
                "samples from frame \(max(0, glitch.frame - 4)): \(Array(around))",
            ]
            + ["", "events in frames of this device:"] + spans
            + ["  xruns: \(notes.xruns.filter { $0 >= from && $0 <= to })", "", "the last events:"]
            + journal.last(until: event + 2)
        try? (text.joined(separator: "\n") + "\n").write(toFile: path("txt"), atomically: true, encoding: .utf8)
    }

    private func path(_ ending: String) -> String { folder + "/glitch-\(glitches.count).\(ending)" }
}
