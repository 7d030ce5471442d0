public import AudioSessions

// Activation as in the 2026 API: the methods, notifications and messages belong to the session
// itself.
public typealias AVAudioSessionActivationOptions = AudioSession.ActivationOptions
public typealias AVAudioSessionDeactivationOptions = AudioSession.DeactivationOptions
