internal import CFFmpeg
internal import Foundation

/// Keeps what FFmpeg logs about the files of this module off the standard error stream, where a
/// damaged file could write thousands of lines.
///
/// FFmpeg has one log per process. The first use replaces its callback by one that drops the
/// messages of a thread while it decodes for this module, and passes all others to FFmpeg's default
/// callback. An app that installs a callback of its own therefore does so after its first
/// `MediaFile`; that callback then receives the messages about media files too.
enum DecoderLog {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static let isInstalled: Bool = {
        _ = key
        av_log_set_callback { context, level, format, arguments in
            guard pthread_getspecific(DecoderLog.key) == nil, let arguments = arguments as CVaListPointer? else {
                return
            }
            av_log_default_callback(context, level, format, arguments)
        }
        return true
    }()

    /// Runs `body`, which calls FFmpeg on this thread, without messages.
    static func silenced<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard isInstalled else { return try body() }
        let previous = pthread_getspecific(key)
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
        defer { pthread_setspecific(key, previous) }
        return try body()
    }
}
