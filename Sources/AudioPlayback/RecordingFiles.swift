internal import AudioRendering
internal import Foundation

/// The files of one recording, of which the last one is being written.
///
/// A file never replaces another: if `take.wav` exists, the first free name of `take-2.wav`,
/// `take-3.wav` and so on is used. Files without a frame are removed. A value belongs to one thread
/// at a time.
struct RecordingFiles {
    private let path: AudioFilePath
    private let channels: Int
    /// The size in bytes beyond which an AIFF is nearly full.
    private let aiffLimit: Int
    /// Nil once the last file is complete.
    private var writer: AudioFileWriter?
    /// The path of the current file, or of the last one.
    private(set) var currentPath: AudioFilePath
    private var number = 1
    /// When the current file was brought up to date; nil: never.
    private var lastUpdate: ContinuousClock.Instant?
    private var silence: [Float] = []
    /// The sample rate of the current file, in Hz.
    private(set) var sampleRate: Int
    /// The completed files, and their size in bytes.
    private(set) var completed: [AudioRecording.File] = []
    private var completedBytes = 0

    /// How often the current file is brought up to date: a program that is killed loses at most
    /// this much, and what waits in the ring buffer.
    private static let updateInterval = Duration.milliseconds(500)

    /// Creates the first file. Throws `unknownFormat` or `notWritable`; then no file was created.
    init(
        path: AudioFilePath, channels: Int, sampleRate: Int, aiffLimit: Int = AudioFileWriter.aiffLimit
    ) throws(AudioFileError) {
        self.path = path
        self.aiffLimit = aiffLimit
        self.channels = channels
        self.sampleRate = sampleRate
        (writer, currentPath) = try Self.create(path, &number, channels, sampleRate)
    }

    private static func create(
        _ path: AudioFilePath, _ number: inout Int, _ channels: Int, _ sampleRate: Int
    ) throws(AudioFileError) -> (AudioFileWriter, AudioFilePath) {
        try AudioFileWriter.checkFormat(of: path)
        while true {
            let name = number == 1 ? path : path.numbered(number)
            guard let descriptor = try AudioFileWriter.create(name, flags: O_EXCL) else {
                number += 1
                continue
            }
            do throws(AudioFileError) {
                let writer = try AudioFileWriter(
                    descriptor: descriptor, path: name, channels: channels, sampleRate: sampleRate)
                return (writer, name)
            } catch {
                remove(name)
                throw error
            }
        }
    }

    private static func remove(_ path: AudioFilePath) { _ = path.withCString { unlink($0) } }

    /// Removes a file. Throws `notWritable` if that fails.
    static func delete(_ path: AudioFilePath) throws(AudioFileError) {
        guard let code = path.withCString({ unlink($0) == 0 ? 0 : errno }), code != 0 else { return }
        throw .notWritable(path: path.description, reason: String(cString: strerror(code)))
    }

    // MARK: Writing

    /// The number of frames in the current file.
    var currentFrames: Int { writer?.frameCount ?? 0 }
    /// The size of all files in bytes, and what the encoder may add.
    var byteCount: Int { completedBytes + (writer.map { $0.byteCount + $0.reservedBytes } ?? 0) }
    /// The size of a frame in bytes, before compression.
    var bytesPerFrame: Int { channels * MemoryLayout<Float>.size }

    /// Appends interleaved samples. Throws `notWritable`; the part that could be written stays.
    mutating func write(_ samples: ArraySlice<Float>) throws(AudioFileError) {
        try writer?.write(samples)
        try update()
    }

    /// Appends frames of silence.
    mutating func writeSilence(frames: Int) throws(AudioFileError) {
        let block = 4_096 * channels
        if silence.isEmpty { silence = [Float](repeating: 0, count: block) }
        var left = frames * channels
        while left > 0 {
            try write(silence[..<min(left, block)])
            left -= min(left, block)
        }
    }

    /// Whether the format of the current file has no room for many more frames.
    var isNearlyFull: Bool { writer?.isNearlyFull(limit: aiffLimit) ?? false }

    /// Brings the current file up to date if that is due. Throws `notWritable` if it was deleted.
    mutating func update() throws(AudioFileError) {
        guard currentFrames > 0, lastUpdate.map({ $0.duration(to: .now) >= Self.updateInterval }) ?? true else {
            return
        }
        writer?.updateHeader()
        lastUpdate = .now
        guard writer?.isDeleted != true else { throw Self.deletion(of: currentPath) }
    }

    private static func deletion(of path: AudioFilePath) -> AudioFileError {
        .notWritable(path: path.description, reason: "the file was deleted while it was recorded")
    }

    /// Completes the current file and continues in another one. Throws as the initializer does; the
    /// files so far are then complete.
    mutating func next(sampleRate: Int) throws(AudioFileError) {
        if let error = complete() { throw error }
        self.sampleRate = sampleRate
        (writer, currentPath) = try Self.create(path, &number, channels, sampleRate)
        lastUpdate = nil
    }

    /// Completes the current file, or removes it if it has no frame. Returns an error if the file
    /// has fewer frames than were written. Idempotent.
    mutating func complete() -> AudioFileError? {
        guard let writer else { return nil }
        self.writer = nil
        let isDeleted = writer.isDeleted
        let error = writer.close()
        completedBytes += writer.byteCount
        guard writer.frameCount > 0 else {
            if !isDeleted { Self.remove(currentPath) }
            return error
        }
        guard !isDeleted else { return Self.deletion(of: currentPath) }
        completed.append(
            AudioRecording.File(
                path: currentPath, sampleRate: sampleRate, channels: channels, frames: writer.frameCount))
        return error
    }
}
