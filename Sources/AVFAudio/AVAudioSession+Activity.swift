// Activation in the shape of 2026: the methods, notifications and messages are the session's own.
public typealias AVAudioSessionActivationOptions = AudioSession.ActivationOptions
public typealias AVAudioSessionDeactivationOptions = AudioSession.DeactivationOptions
