public import AudioPlayback
public import AudioRendering

extension PlaybackSource {
    /// A media file. libsndfile decodes it if it can (`AudioFile`), and otherwise FFmpeg
    /// (`MediaFile`); with a track, FFmpeg decodes that audio track.
    public static func media(_ path: String, track: Int? = nil) -> PlaybackSource {
        media(AudioFilePath(path), track: track)
    }

    /// A media file whose name need not be valid UTF-8.
    public static func media(_ path: AudioFilePath, track: Int? = nil) -> PlaybackSource {
        var source = PlaybackSource(name: path.description) { () throws -> any AudioReader in
            try decoded(track, by: { () throws(AudioFileError) in try AudioFile(path: path) }) {
                () throws(AudioFileError) in try MediaFile(path: path, track: track)
            }
        }
        source.path = path
        return source
    }

    /// A media file in memory. The name is for error messages, and its extension helps to recognise
    /// formats without a signature.
    public static func media(data: [UInt8], name: String = "memory", track: Int? = nil) -> PlaybackSource {
        PlaybackSource(name: name) { () throws -> any AudioReader in
            try decoded(track, by: { () throws(AudioFileError) in try AudioFile(data: data, name: name) }) {
                () throws(AudioFileError) in try MediaFile(data: data, name: name, track: track)
            }
        }
    }

    // FFmpeg also tries what libsndfile opened in vain: its message then says more.
    private static func decoded(
        _ track: Int?, by first: () throws(AudioFileError) -> any AudioReader,
        or second: () throws(AudioFileError) -> any AudioReader
    ) throws(AudioFileError) -> any AudioReader {
        guard track == nil else { return try second() }
        do { return try first() } catch {
            switch error {
            case .undecodable, .empty, .unsupportedShape: return try second()
            default: throw error
            }
        }
    }
}
