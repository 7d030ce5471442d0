public import Foundation

/// An audio session: what an app says of its sound, and what the system says back.
///
/// Names and values are AVAudioSession's, so that source written for iOS compiles (module `AVFAudio`).
open class AudioSession: NSObject, @unchecked Sendable {
}
