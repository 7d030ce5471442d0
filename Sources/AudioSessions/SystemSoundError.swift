internal import AudioRendering

/// Why a system sound was not played to its end.
public enum SystemSoundError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The audio server was lost, or the engine was closed, while it played.
    case interrupted
    /// Other voices used the engine's whole polyphony.
    case displaced
    /// The audio server took too long to start it.
    case late
    /// No theme has a sound of this name.
    case noSuchSound(name: String, theme: String, folders: [String])
    /// The user's theme turns this sound off.
    case disabled(name: String, theme: String)
    /// The file plays for longer than a system sound may, in seconds.
    case tooLong(path: String, limit: Double)

    /// The error of a voice that ended for a reason; nil if it played to its end.
    init?(_ end: VoiceEnd?) {
        switch end {
        case .finished: return nil
        case .stolen, .refused: self = .displaced
        case .stopped, nil: self = .interrupted
        }
    }

    public var description: String {
        switch self {
        case .interrupted:
            "The sound was cut off, because the audio server was lost or the engine was closed; play it again."
        case .displaced:
            "The sound gave way to other voices of the engine; allow more of them (AudioEngine.Configuration.polyphony)."
        case .late:
            "The sound was not played, because the audio server took more than 5 s to start it; play it again."
        case .noSuchSound(let name, let theme, let folders):
            """
            There is no sound '\(name)' in theme '\(theme)', nor in those that it inherits, in \
            \(folders.map { "'\($0)'" }.joined(separator: ", ")); install a theme (Debian: sound-theme-freedesktop) \
            or use another name.
            """
        case .disabled(let name, let theme):
            "Theme '\(theme)' disables the sound '\(name)'; choose another theme to hear it."
        case .tooLong(let path, let limit):
            "'\(path)' plays for more than \(Int(limit)) s, too long for a system sound; play it with an AudioPlayer."
        }
    }
}
